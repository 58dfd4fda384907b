#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agm/cores.hpp"
#include "graph/machine_kernel.hpp"

namespace goodsyard::graph {

namespace {

class CoresKernel final : public MachineKernel<agm::Cores> {
  public:
    using MachineKernel::MachineKernel;

    std::vector<Fact> facts() override {
        std::uint64_t largest = 0;
        for (const std::uint32_t core : algorithm_.cores()) {
            largest = std::max<std::uint64_t>(largest, core);
        }
        return {{"core_checksum", "", checksum_of(place_.team, place_.graph, algorithm_.cores())},
                {"largest_core", "", static_cast<double>(place_.team.all(Fold::max, largest))}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("core", algorithm_.cores()); }

    /// A core is the largest k for which k neighbours have cores of at least k (Montresor, De Pellegrini,
    /// Miorandi 2013, DOI 10.1109/TPDS.2012.124, theorem 1).
    std::optional<std::string> violation(Vertex /*root*/) override {
        const Csr& graph = place_.graph;
        const std::vector<std::uint32_t>& cores = algorithm_.cores();
        std::vector<std::uint32_t> result = of_neighbours(cores);
        for (std::size_t local = 0; local < cores.size(); ++local) {
            const auto first = result.begin() + static_cast<std::ptrdiff_t>(graph.begin[local]);
            const auto last = result.begin() + static_cast<std::ptrdiff_t>(graph.begin[local + 1]);
            std::sort(first, last, std::greater<>());
            std::uint32_t largest = 0;
            for (auto at = first; at != last && *at > largest; ++at) {
                ++largest;
            }
            if (largest != cores[local]) {
                return named(local) + " has core " + std::to_string(cores[local]) +
                       ", its neighbours make it " + std::to_string(largest);
            }
        }
        return std::nullopt;
    }
};

} // namespace

std::unique_ptr<Kernel> make_cores(const Place& place, const Asked& request) {
    return std::make_unique<CoresKernel>(place, request);
}

} // namespace goodsyard::graph
