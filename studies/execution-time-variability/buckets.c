// Ranks of integers by counting, with a table of counts for each thread: the work of NPB's IS. usage: buckets
// KEYS
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) {
    return 1;
}
static int omp_get_thread_num(void) {
    return 0;
}
#endif

enum { KINDS = 1 << 12, ROUNDS = 10 };

int main(int argc, char** argv) {
    const long keys = argc > 1 ? atol(argv[1]) : 100000;
    const size_t threads = (size_t)omp_get_max_threads();
    uint32_t* key = malloc((size_t)keys * sizeof *key);
    uint32_t* count = malloc(threads * KINDS * sizeof *count);
    uint64_t* below = malloc(KINDS * sizeof *below);
    if (!key || !count || !below) {
        return 1;
    }
    uint32_t state = 1;
    for (long i = 0; i < keys; i++) {
        state = state * 1664525u + 1013904223u; // Numerical Recipes
        key[i] = state >> 20;
    }
    uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        key[round % keys] = (uint32_t)round;
        memset(count, 0, threads * KINDS * sizeof *count);
#pragma omp parallel
        {
            uint32_t* mine = count + (size_t)omp_get_thread_num() * KINDS;
#pragma omp for
            for (long i = 0; i < keys; i++) {
                mine[key[i]]++;
            }
        }
        uint64_t total = 0;
        for (size_t kind = 0; kind < KINDS; kind++) {
            below[kind] = total;
            for (size_t thread = 0; thread < threads; thread++) {
                total += count[thread * KINDS + kind];
            }
        }
#pragma omp parallel for reduction(+ : sum)
        for (long i = 0; i < keys; i++) {
            sum += below[key[i]] * (uint64_t)(i & 7);
        }
    }
    printf("%llu\n", (unsigned long long)sum);
    free(below);
    free(count);
    free(key);
    return 0;
}
