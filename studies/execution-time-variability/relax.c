// Jacobi's relaxation of a square with one hot side, in fixed point: the work of NPB's MG on its finest grid.
// usage: relax SIDE SWEEPS. Integers, so that the sum does not depend on the number of threads.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void sweep(const int32_t* from, int32_t* to, size_t side) {
#pragma omp parallel for
    for (size_t i = 1; i < side - 1; i++) {
        for (size_t j = 1; j < side - 1; j++) {
            const int32_t* at = from + i * side + j;
            to[i * side + j] = (*(at - side) + at[-1] + at[1] + at[side]) >> 2;
        }
    }
}

int main(int argc, char** argv) {
    const size_t side = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
    const int sweeps = argc > 2 ? atoi(argv[2]) : 100;
    const size_t cells = side * side;
    int32_t* now = calloc(cells, sizeof *now);
    int32_t* next = calloc(cells, sizeof *next);
    if (side < 3 || !now || !next) {
        return 1;
    }
    for (size_t j = 0; j < side; j++) {
        now[j] = next[j] = 1 << 28;
    }
    for (int k = 0; k < sweeps; k++) {
        sweep(now, next, side);
        int32_t* const swap = now;
        now = next;
        next = swap;
    }
    int64_t sum = 0;
    for (size_t i = 0; i < cells; i++) {
        sum += now[i];
    }
    printf("%lld\n", (long long)sum);
    free(now);
    free(next);
    return 0;
}
