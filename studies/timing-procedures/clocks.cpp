// What every clock that a program can ask says of one and the same work: clocks
//
// All clocks take turns in an order that is drawn anew in each process. For each: what a reading costs, over
// a thousand in a row; the smallest step between two readings that differ; and what it says of one
// millisecond and of twenty of keeping a CPU busy, over what a reference says that is read before the first
// and after the second reading. The reference of clocks of CPU time is CLOCK_THREAD_CPUTIME_ID, of the others
// CLOCK_MONOTONIC; the time-stamp counter, which counts ticks of its own, is held to its rate over the whole
// run.
#include <steelyard.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef WITH_MPI
#include <mpi.h>
#endif
#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace {

/// Nanoseconds; whole numbers, since those since 1970 have no room in a double.
using Nanoseconds = std::int64_t;
constexpr Nanoseconds per_s = 1'000'000'000;

Nanoseconds of_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * per_s + time.tv_nsec;
}

Nanoseconds of_timeval(const timeval& time) {
    return time.tv_sec * per_s + time.tv_usec * 1000;
}

Nanoseconds of_seconds(double seconds) {
    return static_cast<Nanoseconds>(seconds * static_cast<double>(per_s));
}

template <class Clock>
Nanoseconds of_chrono() {
    using std::chrono::duration_cast, std::chrono::nanoseconds;
    return duration_cast<nanoseconds>(Clock::now().time_since_epoch()).count();
}

enum class Kind { elapsed, cpu, ticks };

struct Asked {
    const char* name;
    Kind kind;
    Nanoseconds (*read)(); ///< Or ticks.
};

const std::vector<Asked>& clocks() {
    static const std::vector<Asked> all = {
        {"CLOCK_REALTIME", Kind::elapsed, [] { return of_clock(CLOCK_REALTIME); }},
        {"CLOCK_MONOTONIC", Kind::elapsed, [] { return of_clock(CLOCK_MONOTONIC); }},
        {"CLOCK_MONOTONIC_RAW", Kind::elapsed, [] { return of_clock(CLOCK_MONOTONIC_RAW); }},
        {"CLOCK_MONOTONIC_COARSE", Kind::elapsed, [] { return of_clock(CLOCK_MONOTONIC_COARSE); }},
        {"CLOCK_PROCESS_CPUTIME_ID", Kind::cpu, [] { return of_clock(CLOCK_PROCESS_CPUTIME_ID); }},
        {"CLOCK_THREAD_CPUTIME_ID", Kind::cpu, [] { return of_clock(CLOCK_THREAD_CPUTIME_ID); }},
        {"gettimeofday", Kind::elapsed,
         [] {
             timeval time{};
             gettimeofday(&time, nullptr);
             return of_timeval(time);
         }},
        {"time", Kind::elapsed, [] { return Nanoseconds{std::time(nullptr)} * per_s; }},
        {"clock", Kind::cpu, [] { return Nanoseconds{std::clock()} * (per_s / CLOCKS_PER_SEC); }},
        {"times", Kind::cpu,
         [] {
             tms spent{};
             times(&spent);
             return (spent.tms_utime + spent.tms_stime) * (per_s / sysconf(_SC_CLK_TCK));
         }},
        {"getrusage", Kind::cpu,
         [] {
             rusage usage{};
             getrusage(RUSAGE_SELF, &usage);
             return of_timeval(usage.ru_utime) + of_timeval(usage.ru_stime);
         }},
#ifdef __x86_64__
        {"rdtsc", Kind::ticks, [] { return static_cast<Nanoseconds>(__rdtsc()); }},
        {"lfence; rdtsc", Kind::ticks,
         [] {
             _mm_lfence();
             return static_cast<Nanoseconds>(__rdtsc());
         }},
        {"rdtscp", Kind::ticks,
         [] {
             unsigned processor = 0;
             return static_cast<Nanoseconds>(__rdtscp(&processor));
         }},
        {"rdtscp; lfence", Kind::ticks,
         [] {
             unsigned processor = 0;
             const auto ticks = static_cast<Nanoseconds>(__rdtscp(&processor));
             _mm_lfence();
             return ticks;
         }},
#endif
        {"steady_clock", Kind::elapsed, of_chrono<std::chrono::steady_clock>},
        {"system_clock", Kind::elapsed, of_chrono<std::chrono::system_clock>},
        {"high_resolution_clock", Kind::elapsed, of_chrono<std::chrono::high_resolution_clock>},
#ifdef _OPENMP
        {"omp_get_wtime", Kind::elapsed, [] { return of_seconds(omp_get_wtime()); }},
#endif
#ifdef WITH_MPI
        {"MPI_Wtime", Kind::elapsed, [] { return of_seconds(MPI_Wtime()); }},
#endif
    };
    return all;
}

Nanoseconds reference(Kind kind) {
    return of_clock(kind == Kind::cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

/// Until the reference has gone on by so much.
void keep_busy(Kind kind, Nanoseconds length) {
    const Nanoseconds start = reference(kind);
    while (reference(kind) - start < length) {
    }
}

double cost_s(const Asked& clock) {
    constexpr int readings = 1000;
    const Nanoseconds start = of_clock(CLOCK_MONOTONIC);
    for (int i = 0; i < readings; ++i) {
        const Nanoseconds last = clock.read();
        STEELYARD_KEEP(last);
    }
    return static_cast<double>(of_clock(CLOCK_MONOTONIC) - start) / static_cast<double>(readings * per_s);
}

/// In the unit of the clock; 0 where none was seen within 50 ms.
Nanoseconds step_of(const Asked& clock) {
    constexpr int most = 200;
    Nanoseconds least = 0;
    const Nanoseconds end = of_clock(CLOCK_MONOTONIC) + per_s / 20;
    Nanoseconds before = clock.read();
    for (int count = 0; count < most && of_clock(CLOCK_MONOTONIC) < end;) {
        const Nanoseconds now = clock.read();
        if (now > before) {
            least = least > 0 ? std::min(least, now - before) : now - before;
            ++count;
        }
        before = now;
    }
    return least;
}

/// What the clock says of so much work over what the reference says.
double ratio_of(const Asked& clock, Nanoseconds length, double ticks_per_ns) {
    const Nanoseconds from = reference(clock.kind);
    const Nanoseconds first = clock.read();
    keep_busy(clock.kind, length);
    const Nanoseconds last = clock.read();
    return static_cast<double>(last - first) / ticks_per_ns /
           static_cast<double>(reference(clock.kind) - from);
}

void report(const char* metric, const char* unit, const char* clock, double value) {
    const steelyard_label label{"clock", clock, 0};
    steelyard_report_labelled(metric, unit, &label, 1, &value, 1);
}

} // namespace

int main(int argc, char** argv) {
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#else
    (void)argc;
    (void)argv;
#endif
    double ticks_per_ns = 1;
#ifdef __x86_64__
    const Nanoseconds start = of_clock(CLOCK_MONOTONIC);
    const auto first = static_cast<double>(__rdtsc());
    keep_busy(Kind::elapsed, per_s / 10);
    ticks_per_ns =
        (static_cast<double>(__rdtsc()) - first) / static_cast<double>(of_clock(CLOCK_MONOTONIC) - start);
#endif
    std::vector<std::size_t> order(clocks().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, std::mt19937(std::random_device()()));
    for (const std::size_t place : order) {
        const Asked& clock = clocks()[place];
        const double rate = clock.kind == Kind::ticks ? ticks_per_ns : 1;
        report("cost_s", "s", clock.name, cost_s(clock));
        if (const Nanoseconds step = step_of(clock); step > 0) {
            report("step_s", "s", clock.name, static_cast<double>(step) / rate / static_cast<double>(per_s));
        }
        report("ratio_1ms", "", clock.name, ratio_of(clock, per_s / 1000, rate));
        report("ratio_20ms", "", clock.name, ratio_of(clock, per_s / 50, rate));
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
