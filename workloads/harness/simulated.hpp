// Whether this program is compiled for a simulated machine.
#pragma once

#ifdef GOODSYARD_SIMULATED_OR_NOT
#error "this file is compiled once, for simulated machines and others (workloads_library SIMULATED_TOO)"
#endif

#if defined(GOODSYARD_VIRTUAL) && defined(GOODSYARD_REAL)
#error                                                                                                       \
    "a program has ranks in real time or in virtual time: with goodsyard-virtual no other package of goodsyard"
#endif

// What differs lies in a namespace of its own, so that nothing links with a library for the other kind.
#ifdef GOODSYARD_SIMULATED
#define GOODSYARD_MACHINE simulated_machine
#else
#define GOODSYARD_MACHINE real_machine
#endif

namespace goodsyard {

#ifdef GOODSYARD_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

} // namespace goodsyard
