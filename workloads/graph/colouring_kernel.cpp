#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agm/colouring.hpp"
#include "graph/machine_kernel.hpp"

namespace goodsyard::graph {

namespace {

class ColouringKernel final : public MachineKernel<agm::Colouring> {
  public:
    using MachineKernel::MachineKernel;

    std::vector<Fact> facts() override {
        std::uint64_t used = 0;
        for (const std::uint32_t colour : algorithm_.colours()) {
            used = std::max<std::uint64_t>(used, colour + std::uint64_t{1});
        }
        return {{"colour_checksum", "", checksum_of(place_.team, place_.graph, algorithm_.colours())},
                {"colours", "", static_cast<double>(place_.team.all(Fold::max, used))}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("colour", algorithm_.colours()); }

    /// No neighbour has the colour of a vertex, and those before it have every lesser one.
    std::optional<std::string> violation(Vertex /*root*/) override {
        const Csr& graph = place_.graph;
        const std::vector<std::uint32_t>& colours = algorithm_.colours();
        const std::vector<std::uint32_t> result = of_neighbours(colours);
        for (std::size_t local = 0; local < colours.size(); ++local) {
            const std::uint32_t own_part = colours[local];
            std::vector<bool> is_before(own_part, false);
            bool is_shared = false;
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; ++i) {
                is_shared = is_shared || result[i] == own_part;
                if (result[i] < own_part && algorithm_.is_before(graph.targets[i], graph.vertex(local))) {
                    is_before[result[i]] = true;
                }
            }
            if (is_shared || !std::ranges::all_of(is_before, [](bool entry) { return entry; })) {
                return named(local) + " has colour " + std::to_string(own_part) +
                       (is_shared ? " as a neighbour has" : " where a lesser one would do");
            }
        }
        return std::nullopt;
    }
};

} // namespace

std::unique_ptr<Kernel> make_colouring(const Place& place, const Asked& request) {
    return std::make_unique<ColouringKernel>(place, request);
}

} // namespace goodsyard::graph
