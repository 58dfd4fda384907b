// Whether this program is compiled for a simulated machine.
#pragma once

namespace workloads {

#ifdef WORKLOADS_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

} // namespace workloads
