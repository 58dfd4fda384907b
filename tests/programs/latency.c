// latency OPERATIONS REPETITIONS AHEAD_S: how long each repetition of an operation takes, in lines of the
// protocol.
//
// OPERATIONS is a list such as "bcast,barrier". Ranks begin each repetition at a time AHEAD_S seconds after
// they agreed on it; it ends when the last of them has ended. The clocks of the ranks have to be one: those
// of a simulated machine, or of one host. "tree" sends 800 bytes along a binomial tree by MPI_Send and
// MPI_Recv, the farthest rank first.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static double numbers[100], sums[100];

static void send_along_a_tree(void) {
    int distance = 1;
    while (distance < size) {
        distance *= 2;
    }
    int reached = rank == 0;
    for (distance /= 2; distance > 0; distance /= 2) {
        if (reached && rank + distance < size) {
            MPI_Send(numbers, 100, MPI_DOUBLE, rank + distance, 0, MPI_COMM_WORLD);
        } else if (!reached && rank % distance == 0) {
            MPI_Recv(numbers, 100, MPI_DOUBLE, rank - distance, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            reached = 1;
        }
    }
}

static void perform(const char* operation) {
    if (!strcmp(operation, "barrier")) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (!strcmp(operation, "bcast")) {
        MPI_Bcast(numbers, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else if (!strcmp(operation, "allreduce")) {
        MPI_Allreduce(numbers, sums, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else if (!strcmp(operation, "tree")) {
        send_along_a_tree();
    } else {
        fprintf(stderr, "latency: unknown operation %s\n", operation);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static double measure(const char* operation, double ahead_s) {
    double now = MPI_Wtime(), begin, end, last;
    MPI_Allreduce(&now, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    begin += ahead_s;
    const double wait = begin - MPI_Wtime();
    if (wait > 0) {
        const struct timespec left = {(time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait))};
        nanosleep(&left, NULL);
    }
    perform(operation);
    end = MPI_Wtime();
    MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last - begin;
}

static int compare(const void* one, const void* other) {
    const double a = *(const double*)one, b = *(const double*)other;
    return (a > b) - (a < b);
}

static void write_line(FILE* lines, const char* metric, const char* operation, const double* values,
                       int count) {
    fprintf(
        lines,
        "{\"steelyard\":1,\"metric\":\"%s\",\"unit\":\"s\",\"labels\":{\"p\":%d,\"op\":\"%s\"},\"values\":[",
        metric, size, operation);
    for (int i = 0; i < count; i++) {
        fprintf(lines, "%s%.9g", i ? "," : "", values[i]);
    }
    fprintf(lines, "]}\n");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int repetitions = atoi(argv[2]);
    const double ahead_s = atof(argv[3]);
    double* values = calloc((size_t)repetitions, sizeof *values);
    const char* file = getenv("STEELYARD_METRICS");
    FILE* lines = rank == 0 ? (file ? fopen(file, "a") : stdout) : NULL;
    // Ranks of a simulated machine share the arguments.
    char* operations = strdup(argv[1]);
    char* rest = operations;
    for (char* operation; (operation = strsep(&rest, ","));) {
        for (int i = 0; i < repetitions; i++) {
            values[i] = measure(operation, ahead_s);
        }
        if (lines) {
            write_line(lines, "latency_s", operation, values, repetitions);
            qsort(values, (size_t)repetitions, sizeof *values, compare);
            write_line(lines, "latency_quantile_s", operation, &values[repetitions / 2], 1);
        }
    }
    if (lines && lines != stdout) {
        fclose(lines);
    }
    free(operations);
    free(values);
    MPI_Finalize();
    return 0;
}
