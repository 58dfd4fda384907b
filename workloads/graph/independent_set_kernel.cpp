#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agm/independent_set.hpp"
#include "graph/machine_kernel.hpp"

namespace goodsyard::graph {

namespace {

class IndependentSetKernel final : public MachineKernel<agm::IndependentSet> {
  public:
    using MachineKernel::MachineKernel;

    std::vector<Fact> facts() override {
        const auto size = static_cast<double>(place_.team.all(Fold::sum, algorithm_.count()));
        return {{"set_checksum", "", checksum_of(place_.team, place_.graph, algorithm_.members())},
                {"set_size", "", size}};
    }

    [[nodiscard]] Outcome outcome() const override { return outcome_of("in_set", algorithm_.members()); }

    /// A vertex is in the set where no neighbour before it is.
    std::optional<std::string> violation(Vertex /*root*/) override {
        const Csr& graph = place_.graph;
        const std::vector<std::uint32_t>& members = algorithm_.members();
        const std::vector<std::uint32_t> result = of_neighbours(members);
        for (std::size_t local = 0; local < members.size(); ++local) {
            bool has_member_before = false;
            for (std::uint64_t i = graph.begin[local]; i < graph.begin[local + 1]; ++i) {
                const bool is_before = algorithm_.is_before(graph.targets[i], graph.vertex(local));
                has_member_before = has_member_before || (is_before && result[i] != 0);
            }
            if (has_member_before == (members[local] != 0)) {
                return named(local) + (has_member_before
                                           ? " and a neighbour of it are both in the set"
                                           : " is not in the set, and neither is any neighbour before it");
            }
        }
        return std::nullopt;
    }
};

} // namespace

std::unique_ptr<Kernel> make_independent_set(const Place& place, const Asked& request) {
    return std::make_unique<IndependentSetKernel>(place, request);
}

} // namespace goodsyard::graph
