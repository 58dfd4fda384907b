// What can be chosen about a sort.
#pragma once

#include <cstdint>

namespace goodsyard::sorting {

enum class Algorithm : int { sample, histogram, exact, radix, mini };
enum class LocalSort : int { std, pdq, ips4o, vqsort };
enum class Schedule : int { batched, sequential }; ///< exact: all splitters together, or one after the other
enum class Exchange : int { alltoallv, p2p };      ///< radix: one collective, or a message a digit value
enum class Scan : int { doubling, library };       ///< sums over earlier ranks: own messages, or MPI_Exscan
enum class Groups : int { ranges, comm_split };    ///< mini: own trees on ranges of ranks, or communicators

/// Trivially copyable.
struct Parameters {
    Algorithm algorithm = Algorithm::sample;
    LocalSort local = LocalSort::std;
    Schedule schedule = Schedule::batched;
    Exchange exchange = Exchange::alltoallv;
    Scan scan = Scan::doubling;
    Groups groups = Groups::ranges;
    int digit_bits = 8;          ///< radix: k, a divisor of 64, at most 16
    double epsilon = 0.05;       ///< histogram: no block is larger than (1 + ε) n/p
    int probes_per_splitter = 4; ///< histogram: c, a round
    std::uint64_t seed = 1;      ///< of random pivots and probes
};

} // namespace goodsyard::sorting
