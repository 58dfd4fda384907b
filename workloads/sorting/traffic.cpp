#include "sorting/traffic.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace goodsyard::sorting {

int Traffic::count(std::size_t elements) {
    if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw std::runtime_error(std::to_string(elements) +
                                 " words of 64 bits are more than MPI counts on one rank");
    }
    return static_cast<int>(elements);
}

std::vector<Key> Traffic::allgather_any(std::size_t phase, const std::vector<Key>& local) const {
    const std::vector<std::uint64_t> counts = allgather(phase, std::vector<std::uint64_t>{local.size()});
    const std::size_t most = *std::max_element(counts.begin(), counts.end());
    std::vector<Key> padded = local;
    padded.resize(most);
    const std::vector<Key> all = allgather(phase, padded);
    std::vector<Key> compact;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * most);
        compact.insert(compact.end(), begin, begin + static_cast<std::ptrdiff_t>(counts[r]));
    }
    return compact;
}

std::vector<std::uint64_t> Traffic::announce(std::size_t phase,
                                             const std::vector<std::uint64_t>& cuts) const {
    std::vector<std::uint64_t> outgoing(cuts.size() - 1);
    std::transform(cuts.begin() + 1, cuts.end(), cuts.begin(), outgoing.begin(), std::minus<>());
    const std::vector<std::uint64_t> incoming = alltoall(phase, outgoing);
    std::vector<std::uint64_t> runs(cuts.size());
    std::partial_sum(incoming.begin(), incoming.end(), runs.begin() + 1);
    return runs;
}

} // namespace goodsyard::sorting
