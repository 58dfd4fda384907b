// ends HOW: rank 1 ends as HOW says ("abort", "exit"), or rank 0 waits for it for ever ("deadlock").
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, received;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("t=1\n");
    if (!strcmp(argv[1], "deadlock") && rank == 0) {
        MPI_Recv(&received, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1 && !strcmp(argv[1], "abort")) {
        fprintf(stderr, "no such mesh\n");
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    if (rank == 1 && !strcmp(argv[1], "exit")) {
        fprintf(stderr, "no such mesh\n");
        exit(3);
    }
    MPI_Finalize();
    return 0;
}
