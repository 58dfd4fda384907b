// The sum of an array, over and over: one chain of additions, unless the compiler may change their order.
//
// All terms are whole numbers below 2^53, so every order of adding gives the same sum, which is verified.
//
// Build:  cc -std=c11 -O3 -ffast-math sum.c -o sum
// Run:    sum ROUNDS        prints sum=S
// Exit:   0; 1 a wrong sum; 2 usage.
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 4096, MOST_ROUNDS = 1000000 };

static double values[ELEMENTS];

// On its own, so that the sum lives in a register at every level of optimisation.
__attribute__((noinline)) static double add_up(long rounds) {
    double sum = 0;
    for (long i = 0; i < rounds; i++) {
        values[i % ELEMENTS] += 1; // so that no round is like the one before
        for (int j = 0; j < ELEMENTS; j++) {
            sum += values[j];
        }
    }
    return sum;
}

int main(int argc, char** argv) {
    const long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: sum ROUNDS    (1 to %d)\n", MOST_ROUNDS);
        return 2;
    }
    for (int j = 0; j < ELEMENTS; j++) {
        values[j] = j;
    }
    const double sum = add_up(rounds);
    const double n = (double)rounds;
    const double expected = n * ELEMENTS * (ELEMENTS - 1) / 2 + n * (n + 1) / 2;
    printf("sum=%.0f\n", sum);
    return sum == expected ? 0 : 1;
}
