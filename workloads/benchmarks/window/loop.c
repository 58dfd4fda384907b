/* The latency of MPI_Allgather as a plain loop has it: no synchronisation, each call by this rank's own
   clock. Prints the first quartile, in seconds, of the times of rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void* left, const void* right) {
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks, rank, bytes = argc > 1 ? atoi(argv[1]) : 8, times = argc > 2 ? atoi(argv[2]) : 10000;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *local = calloc(1, bytes), *all = calloc(ranks, bytes);
    double* took = calloc(times, sizeof *took);
    for (int i = -100; i < times; i++) {
        double start = MPI_Wtime();
        MPI_Allgather(local, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
        if (i >= 0) {
            took[i] = MPI_Wtime() - start;
        }
    }
    qsort(took, times, sizeof *took, ascending);
    if (rank == 0) {
        printf("%.9g\n", took[times / 4]);
    }
    free(local);
    free(all);
    free(took);
    MPI_Finalize();
    return 0;
}
