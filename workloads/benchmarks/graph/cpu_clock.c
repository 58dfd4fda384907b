// Preloaded, the clocks of a program say how much CPU time it has had: they stand still while others have the
// CPU.
//
// A look at the CPU time is a system call, which takes as long as an epoch of a rank alone. So a clock that
// was read a moment ago adds elapsed time, which may include a time without the CPU.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double moment_s = 1e-4;

typedef int (*Clock)(clockid_t, struct timespec*);

static double seconds_of(const struct timespec* time) {
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

// Of the process, whose only thread reads clocks. What a moment has had too much, since others had some of
// it, is not taken back: an interval is never shorter than its CPU time.
static double running_s(void) {
    static Clock elapsed;
    static double last_elapsed_s = -1;
    static double last_cpu_s = 0;
    static double since_cpu_s = 0; // Of moments, since then.
    static double result_s = 0;
    struct timespec time;
    if (elapsed == NULL) {
        elapsed = (Clock)dlsym(RTLD_NEXT, "clock_gettime");
    }
    elapsed(CLOCK_MONOTONIC, &time);
    const double passed_s = seconds_of(&time) - last_elapsed_s;
    if (last_elapsed_s >= 0 && passed_s < moment_s) {
        since_cpu_s += passed_s;
        result_s += passed_s;
        last_elapsed_s += passed_s;
        return result_s;
    }
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time);
    const double more_s = seconds_of(&time) - last_cpu_s - since_cpu_s;
    result_s += more_s > 0 ? more_s : 0;
    last_cpu_s = seconds_of(&time);
    since_cpu_s = 0;
    elapsed(CLOCK_MONOTONIC, &time);
    last_elapsed_s = seconds_of(&time);
    return result_s;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    const double s = running_s();
    time->tv_sec = (time_t)s;
    time->tv_nsec = (long)((s - (double)time->tv_sec) * 1e9);
    return 0;
}

double MPI_Wtime(void) {
    return running_s();
}
