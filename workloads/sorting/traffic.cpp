#include "sorting/traffic.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace workloads::sorting {

int Traffic::count(std::size_t elements) {
    if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw std::runtime_error(std::to_string(elements) +
                                 " words of 64 bits are more than MPI counts on one rank");
    }
    return static_cast<int>(elements);
}

std::vector<Key> Traffic::allgather_any(std::size_t phase, const std::vector<Key>& own) const {
    const std::vector<std::uint64_t> counts = allgather(phase, std::vector<std::uint64_t>{own.size()});
    std::vector<int> each(counts.size());
    std::vector<int> begin(counts.size());
    std::size_t total = 0;
    for (std::size_t r = 0; r < counts.size(); r++) {
        begin[r] = count(total);
        each[r] = count(counts[r]);
        total += counts[r];
    }
    std::vector<Key> all(total);
    check(MPI_Allgatherv(own.data(), count(own.size()), MPI_UINT64_T, all.data(), each.data(), begin.data(),
                         MPI_UINT64_T, comm_),
          "MPI_Allgatherv");
    counted(phase, 1, own.size());
    return all;
}

} // namespace workloads::sorting
