// The floor of every runner: vfork, execve and wait4 in a loop, the clock around all three, nothing else.
// bare_loop COUNT PROGRAM prints COUNT durations in nanoseconds, one a line, when all are done.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int count, char** arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: bare_loop COUNT PROGRAM\n");
        return 2;
    }
    const long runs = strtol(arguments[1], NULL, 10);
    char* const program[] = {arguments[2], NULL};
    char* const environment[] = {NULL};
    int64_t* const wall_ns = calloc((size_t)runs, sizeof *wall_ns);
    if (wall_ns == NULL) {
        return 1;
    }
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    for (long run = 0; run < runs; ++run) {
        int status = 0;
        struct rusage usage;
        const int64_t start_ns = now_ns();
        const pid_t child = vfork();
        if (child == 0) {
            execve(program[0], program, environment);
            _exit(127);
        }
        wait4(child, &status, 0, &usage);
        wall_ns[run] = now_ns() - start_ns;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            return 1;
        }
    }
    for (long run = 0; run < runs; ++run) {
        printf("%lld\n", (long long)wall_ns[run]);
    }
    return 0;
}
