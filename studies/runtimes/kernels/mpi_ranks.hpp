// The same of MPI: a process is a rank.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace kernels {

inline Place place() {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return {static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(ranks)};
}
inline std::uint64_t ranks_of_process() {
    return 1;
}
inline void meet() {
    MPI_Barrier(MPI_COMM_WORLD);
}
inline double now_s() {
    return MPI_Wtime();
}
inline double slowest_s(double took_s) {
    MPI_Allreduce(MPI_IN_PLACE, &took_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took_s;
}
inline std::uint64_t sum_of_ranks(std::uint64_t sum) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}
inline void end_all(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
}

} // namespace kernels
