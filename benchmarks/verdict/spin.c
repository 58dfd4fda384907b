/* Computes for as many rounds as it is told, and nothing else. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    uint64_t state = 1;
    for (long long remaining = argc > 1 ? atoll(argv[1]) : 0; remaining > 0; --remaining) {
        state = state * 6364136223846793005u + 1442695040888963407u;
    }
    return printf("%d\n", (int)(state >> 63)) < 0;
}
