// Pi as the integral of 4 / (1 + x^2) from 0 to 1, by the midpoint rule, divided among threads.
//
// Verifies itself: the rule's error is below 1 / (24 steps^2) times the largest second derivative, which is
// 8; rounding adds less than 1e-9 for the steps that are allowed.
//
// Build:  cc -std=c11 -O2 -pthread pi.c -o pi -lm
// Run:    pi THREADS STEPS      prints pi=P
// Exit:   0; 1 it is not pi; 2 usage; 3 a thread cannot be started.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 256 };
static const double PI = 3.14159265358979323846;
static const long MOST_STEPS = 4000000000L;

struct part {
    pthread_t thread;
    long first, end, steps;
    double sum;
};

static void* integrate(void* argument) {
    struct part* part = argument;
    const double width = 1.0 / (double)part->steps;
    // In a register: neighbours in the array of parts would share its cache line.
    double sum = 0;
    for (long i = part->first; i < part->end; i++) {
        const double x = ((double)i + 0.5) * width;
        sum += 4 / (1 + x * x);
    }
    part->sum = sum * width;
    return NULL;
}

int main(int argc, char** argv) {
    const int threads = argc == 3 ? atoi(argv[1]) : 0;
    const long steps = argc == 3 ? atol(argv[2]) : 0;
    if (threads < 1 || threads > MOST_THREADS || steps < threads || steps > MOST_STEPS) {
        fprintf(stderr, "usage: pi THREADS STEPS (1 to %d, THREADS to %ld)\n", MOST_THREADS, MOST_STEPS);
        return 2;
    }
    struct part parts[MOST_THREADS];
    for (int i = 0; i < threads; i++) {
        parts[i].first = steps / threads * i + steps % threads * i / threads;
        parts[i].end = steps / threads * (i + 1) + steps % threads * (i + 1) / threads;
        parts[i].steps = steps;
        if (pthread_create(&parts[i].thread, NULL, integrate, &parts[i]) != 0) {
            fprintf(stderr, "pi: thread %d of %d cannot be started\n", i + 1, threads);
            return 3;
        }
    }
    double pi = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
        pi += parts[i].sum;
    }
    printf("pi=%.12f\n", pi);
    if (!(fabs(pi - PI) < 8.0 / 24 / ((double)steps * (double)steps) + 1e-9)) {
        fputs("pi: this is not pi\n", stderr);
        return 1;
    }
    return 0;
}
