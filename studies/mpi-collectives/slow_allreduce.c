/* A planted fault: Allreduce of 64 doubles, 512 bytes, takes two milliseconds more, and no other size does.
 *
 *     MPICC -shared -fPIC -o slow_allreduce.so slow_allreduce.c
 *     guidelines.py --only allreduce --bytes 8 512 4096 --preload ./slow_allreduce.so
 */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <time.h>

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (count == 64 && type == MPI_DOUBLE) {
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, 0);
    }
    return PMPI_Allreduce(from, to, count, type, op, comm);
}
