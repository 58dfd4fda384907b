/* A program of ranks that ends as its argument says, after all of them have spoken to each other. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int how(char** words, const char* name) {
    return strcmp(words[1], name) == 0;
}

int main(int count, char** words) {
    int rank, one = 1, sum;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1 && how(words, "abort 0")) {
        MPI_Abort(MPI_COMM_WORLD, 0);
    }
    if (rank == 1 && how(words, "abort 256")) {
        MPI_Abort(MPI_COMM_WORLD, 256);
    }
    if (rank == 1 && how(words, "abort 3")) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 1 && how(words, "leave")) {
        exit(0);
    }
    if (rank == 1 && how(words, "leave at once")) {
        _exit(0);
    }
    if (rank == 1 && how(words, "kill")) {
        kill(getpid(), SIGKILL);
    }
    if (how(words, "all leave")) {
        exit(0);
    }
    if (how(words, "fork")) {
        if (fork() == 0) {
            exit(0);
        }
        if (fork() == 0) {
            _exit(0);
        }
        while (wait(NULL) > 0) {
            continue;
        }
    }
    if (rank == 1 && how(words, "compute")) {
        for (;;) {
            __asm__ volatile("");
        }
    }
    if (rank == 1 && how(words, "deadlock")) {
        MPI_Recv(&one, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (how(words, "end at once")) {
        _exit(0);
    }
    return how(words, "code") ? 4 : 0;
}
