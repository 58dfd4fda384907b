// Prints how long a sort of KaDiS takes for so many uniform 64-bit keys on every rank: the longest of all
// ranks, after a barrier. kadis_sort ams|hss|rquick KEYS

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mpi.h>
#include <random>
#include <string>
#include <vector>

#include "AmsSort/AmsSort.hpp"
#include "HSS/Hss.hpp"
#include "RQuick/RQuick.hpp"

namespace {

// SplitMix64, as the keys of psort.
std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

// In one level, as recommended for few ranks: as many buckets as there are ranks.
void sort(const std::string& algorithm, std::vector<std::uint64_t>& keys, int rank, int ranks) {
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
    if (algorithm == "ams") {
        Ams::sort(MPI_UINT64_T, keys, ranks, random, MPI_COMM_WORLD);
    } else if (algorithm == "hss") {
        Hss::sort(MPI_UINT64_T, keys, ranks, random, MPI_COMM_WORLD);
    } else if (algorithm == "rquick") {
        RQuick::sort(MPI_UINT64_T, keys, 1, random, MPI_COMM_WORLD, std::less<std::uint64_t>());
    } else {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string algorithm = argc > 1 ? argv[1] : "";
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        keys[i] = mix64((static_cast<std::uint64_t>(rank) * count + i + 1) * 0x9E3779B97F4A7C15U);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = MPI_Wtime();
    sort(algorithm, keys, rank, ranks);
    double took_s = MPI_Wtime() - begin_s;
    int sorted = std::is_sorted(keys.begin(), keys.end()) ? 1 : 0;
    std::uint64_t total = keys.size();
    MPI_Allreduce(MPI_IN_PLACE, &took_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sorted, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("%.9f\n", took_s);
    }
    MPI_Finalize();
    return sorted != 0 && total == count * static_cast<std::uint64_t>(ranks) ? 0 : 1;
}
