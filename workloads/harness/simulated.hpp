// Whether this program is compiled for a simulated machine.
#pragma once

#ifdef GOODSYARD_SIMULATED_OR_NOT
#error "this file is compiled once, for simulated machines and others (workloads_library SIMULATED_TOO)"
#endif

namespace goodsyard {

#ifdef GOODSYARD_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

} // namespace goodsyard
