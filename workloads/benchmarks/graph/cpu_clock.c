// Preloaded, the clocks of a program say how much CPU time it has had: they stand still while others have the
// CPU.

#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
    const int elapses = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
    return (int)syscall(SYS_clock_gettime, elapses ? CLOCK_PROCESS_CPUTIME_ID : clock, time);
}

double MPI_Wtime(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
