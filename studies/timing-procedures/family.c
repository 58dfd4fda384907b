// Uses as much CPU time as is asked in each of its parts, and prints how much that was:
//
//     family PARTS MICROSECONDS
//
// PARTS is alone; threads, where a second thread works too; child, where a child works too, which is waited
// for; orphan, where a grandchild works too that nobody waits for, and ends before the program does; or
// outlives, where a child begins to work when the program has ended, and prints its own time. A reader of all
// that is printed sees the end of it when the child has ended.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Until this thread has had so much CPU time; returns how much it had since its start.
static double work(double length_s) {
    double spent_s;
    do {
        spent_s = seconds(CLOCK_THREAD_CPUTIME_ID);
    } while (spent_s < length_s);
    return spent_s;
}

static void* work_in_thread(void* length_s) {
    *(double*)length_s = work(*(double*)length_s);
    return NULL;
}

// In a child, of which nobody but it knows how much CPU time it had: it is read from a pipe.
static double work_in_child(double length_s, int is_orphan) {
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        if (is_orphan && fork() != 0) {
            _exit(0); // What works is nobody's child then.
        }
        const double spent_s = work(length_s);
        _exit(write(ends[1], &spent_s, sizeof spent_s) == (ssize_t)sizeof spent_s ? 0 : 1);
    }
    close(ends[1]);
    double spent_s = -1;
    if (child < 0 || read(ends[0], &spent_s, sizeof spent_s) != (ssize_t)sizeof spent_s) {
        spent_s = -1;
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
    return spent_s;
}

// A child that works when this process has ended: its end of the pipe is closed then. Returns at once.
static int work_afterwards(double length_s) {
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        char none;
        const ssize_t length = read(ends[0], &none, 1);
        const double spent_s = work(length_s);
        printf("outliving %.9f\n", spent_s);
        fflush(stdout);
        _exit(length == 0 ? 0 : 1);
    }
    close(ends[0]);
    return child < 0 ? -1 : 0;
}

int main(int argc, char** argv) {
    char* end = NULL;
    const double length_s = argc == 3 ? 1e-6 * strtod(argv[2], &end) : 0;
    const char* parts = argc == 3 ? argv[1] : "";
    const int has_thread = strcmp(parts, "threads") == 0;
    const int is_orphan = strcmp(parts, "orphan") == 0, has_child = is_orphan || strcmp(parts, "child") == 0;
    const int outlives = strcmp(parts, "outlives") == 0;
    if (end == NULL || *end != '\0' || !(length_s > 0) ||
        !(has_thread || has_child || outlives || strcmp(parts, "alone") == 0)) {
        fputs("usage: family alone|threads|child|orphan|outlives MICROSECONDS\n", stderr);
        return 2;
    }
    double other_s = 0;
    pthread_t thread;
    if (has_thread) {
        other_s = length_s;
        if (pthread_create(&thread, NULL, work_in_thread, &other_s) != 0) {
            return 1;
        }
    } else if (has_child) {
        other_s = work_in_child(length_s, is_orphan);
    } else if (outlives) {
        other_s = work_afterwards(length_s);
    }
    const double own_s = work(length_s);
    if (has_thread) {
        pthread_join(thread, NULL);
    }
    if (other_s < 0) {
        fputs("family: no child\n", stderr);
        return 1;
    }
    printf("spent %.9f\n", own_s + other_s);
    return 0;
}
