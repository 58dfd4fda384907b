#include "timing/clock.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <sched.h>
#include <stdexcept>
#include <string>

#ifdef GOODSYARD_VIRTUAL
#include "harness/virtual_clock.hpp"
#elif defined(GOODSYARD_SIMULATED)
// Its macros make clock_gettime and nanosleep the simulator's.
#include <mpi.h>
#elif defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace goodsyard {

namespace {

constexpr double long_wait_s = 500e-6;
constexpr double awake_s = 100e-6; ///< A sleeper asks to be woken this much earlier, and spins the rest.

#ifdef GOODSYARD_VIRTUAL
double monotonic_s() {
    return running_clock->now_s();
}

void sleep_s(double duration_s) {
    running_clock->advance(duration_s);
}
#else
double monotonic_s() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_s(double duration_s) {
    timespec time{};
    time.tv_sec = static_cast<time_t>(duration_s);
    time.tv_nsec = static_cast<long>((duration_s - static_cast<double>(time.tv_sec)) * 1e9);
    nanosleep(&time, nullptr);
}
#endif

#if !defined(GOODSYARD_SIMULATED) && defined(__x86_64__)
bool cycles_are_time() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("flags")) {
            return line.find(" constant_tsc") != std::string::npos &&
                   line.find(" nonstop_tsc") != std::string::npos;
        }
    }
    return false;
}
#endif

} // namespace

Clock::Clock(Timer timer) : timer_(timer) {
    if (timer == Timer::monotonic) {
        return;
    }
#if !defined(GOODSYARD_SIMULATED) && defined(__x86_64__)
    if (!cycles_are_time()) {
        throw std::runtime_error("the cycle counter of this CPU does not tick at one rate (constant_tsc, "
                                 "nonstop_tsc); use --timer monotonic");
    }
    origin_s_ = monotonic_s();
    origin_cycles_ = __rdtsc();
    while (monotonic_s() < origin_s_ + 0.02) {
    }
    const double elapsed_s = monotonic_s() - origin_s_;
    cycle_s_ = elapsed_s / static_cast<double>(__rdtsc() - origin_cycles_);
#else
    throw std::runtime_error("there is no cycle counter here; use --timer monotonic");
#endif
}

double Clock::now_s() const {
#if !defined(GOODSYARD_SIMULATED) && defined(__x86_64__)
    if (timer_ == Timer::cycles) {
        return origin_s_ + cycle_s_ * static_cast<double>(__rdtsc() - origin_cycles_);
    }
#endif
    return monotonic_s();
}

void Clock::wait_until(double time_s, [[maybe_unused]] bool oversubscribed) const {
#ifdef GOODSYARD_SIMULATED
    // Never spin on a simulated clock: it would take one call of the simulator for every 10 ns.
    if (const double rest_s = time_s - now_s(); rest_s > 0) {
        sleep_s(rest_s);
    }
#else
    // A process that spins for long uses up its share of the CPU, and has lost it when the time comes.
    const double spun_s = oversubscribed ? 0 : long_wait_s;
    if (const double rest_s = time_s - now_s() - awake_s; rest_s > spun_s) {
        sleep_s(rest_s);
    }
    while (now_s() < time_s) {
        if (oversubscribed) {
            sched_yield();
        }
    }
#endif
}

Clock::Facts Clock::facts() const {
#ifdef GOODSYARD_SIMULATED
    constexpr int readings = 10;
#else
    constexpr int readings = 20'000;
#endif
    double step_s = std::numeric_limits<double>::infinity();
    const double start_s = now_s();
    double last_s = start_s;
    for (int i = 0; i < readings; ++i) {
        const double read_s = now_s();
        if (read_s > last_s) {
            step_s = std::min(step_s, read_s - last_s);
        }
        last_s = read_s;
    }
    return {(last_s - start_s) / readings, last_s > start_s ? step_s : 0.0};
}

} // namespace goodsyard
