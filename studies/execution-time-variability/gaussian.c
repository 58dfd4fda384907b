// Pairs of normal deviates by the polar method, counted by ring: the work of NPB's EP. usage: gaussian PAIRS
// Each pair has a generator of its own, so the counts do not depend on the number of threads.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 10 };

static uint64_t mixed(uint64_t x) { // splitmix64 (Steele, Lea, Flood 2014)
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double uniform(uint64_t x) { // in [-1, 1)
    return (double)(mixed(x) >> 11) * 0x1p-52 - 1;
}

int main(int argc, char** argv) {
    const long pairs = argc > 1 ? atol(argv[1]) : 100000;
    long rings[RINGS] = {0};
#pragma omp parallel for reduction(+ : rings[ : RINGS])
    for (long i = 0; i < pairs; i++) {
        const double x = uniform(2 * (uint64_t)i), y = uniform(2 * (uint64_t)i + 1), t = x * x + y * y;
        if (t > 1 || t <= 0) {
            continue;
        }
        const double scale = sqrt(-2 * log(t) / t);
        const int ring = (int)fmax(fabs(x * scale), fabs(y * scale));
        rings[ring < RINGS ? ring : RINGS - 1]++;
    }
    for (int ring = 0; ring < RINGS; ring++) {
        printf("%ld\n", rings[ring]);
    }
    return 0;
}
