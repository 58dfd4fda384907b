// endless: ranks add up numbers together until they are killed.
#include <mpi.h>

int main(int argc, char** argv) {
    int value = 1, sum;
    MPI_Init(&argc, &argv);
    for (;;) {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}
