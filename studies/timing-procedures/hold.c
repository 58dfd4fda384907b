// Keeps a CPU busy until its own clock has gone on by so many microseconds: hold MICROSECONDS
// Prints how far it went, and how much of a CPU it had meanwhile. What ran is then known from inside,
// whatever else the machine does, and what others read can be held to it, run by run.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
    const double start_s = seconds(CLOCK_MONOTONIC), cpu_start_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    char* end = NULL;
    const double length_s = argc == 2 ? 1e-6 * strtod(argv[1], &end) : 0;
    if (end == NULL || *end != '\0' || !(length_s > 0)) {
        fputs("usage: hold MICROSECONDS\n", stderr);
        return 2;
    }
    double elapsed_s;
    do {
        elapsed_s = seconds(CLOCK_MONOTONIC) - start_s;
    } while (elapsed_s < length_s);
    printf("own %.9f\ncpu %.9f\n", elapsed_s, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_s);
    return 0;
}
