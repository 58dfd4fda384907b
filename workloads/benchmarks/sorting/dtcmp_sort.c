// Prints how long DTCMP (LLNL) takes to sort so many uniform 64-bit keys on every rank: the longest of all
// ranks, after a barrier.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "dtcmp.h"
#include "mpi.h"

// SplitMix64, as the keys of psort.
static uint64_t mix64(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    DTCMP_Init();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int keys = argc > 1 ? atoi(argv[1]) : 1000;
    uint64_t* in = malloc((size_t)keys * sizeof *in);
    uint64_t* out = malloc((size_t)keys * sizeof *out);
    if (!in || !out) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < keys; i++) {
        in[i] = mix64(((uint64_t)rank * (uint64_t)keys + (uint64_t)i + 1) * 0x9E3779B97F4A7C15U);
        out[i] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = MPI_Wtime();
    const int code = DTCMP_Sort(in, out, keys, MPI_UINT64_T, MPI_UINT64_T, DTCMP_OP_UINT64T_ASCEND,
                                DTCMP_FLAG_NONE, MPI_COMM_WORLD);
    double took_s = MPI_Wtime() - begin_s;
    int sorted = code == DTCMP_SUCCESS;
    for (int i = 1; i < keys; i++) {
        sorted = sorted && out[i - 1] <= out[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, &took_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sorted, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%.9f\n", took_s);
    }
    free(in);
    free(out);
    DTCMP_Finalize();
    MPI_Finalize();
    return sorted ? 0 : 1;
}
