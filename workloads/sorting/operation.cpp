#include "sorting/operation.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "harness/failure.hpp"
#include "mpi/host_memory.hpp"
#include "sorting/checks.hpp"
#include "sorting/item_file.hpp"
#include "sorting/key_file.hpp"
#include "sorting/names.hpp"
#include "sorting/sort.hpp"

namespace goodsyard::sorting {

namespace {

template <class Item>
class SortOperation final : public Operation {
  public:
    SortOperation(const MpiContext& context, const Asked& request, std::vector<Item> input,
                  std::uint64_t total)
        : team_(context.team), asked_(request), phases_(context.clock),
          sort_(make_sort<Item>(comm_of(context.world), phases_, context.computation, request.parameters)),
          input_(std::move(input)), before_(checksum_of(team_, input_)), total_(total) {}

    void prepare() override {
        block_.reserve(input_.size() +
                       input_.size() / 8); // Not every block that comes is as large as its own.
        block_ = input_;
    }
    void run() override { sort_->run(block_); }
    std::optional<std::string> wrong() override {
        const Checksum after = checksum_of(team_, block_);
        const std::optional<std::string> disordered = out_of_order(team_, asked_.parameters, block_);
        if (after != before_) {
            return std::to_string(after.count) + " items with another checksum than the " +
                   std::to_string(before_.count) + " before";
        }
        return disordered ? disordered
                          : unexpected_load(asked_.parameters, team_, block_.size(), total_,
                                            asked_.blocks == Blocks::even);
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] Phases* phases() override { return &phases_; }
    [[nodiscard]] std::vector<Fact> facts() override {
        const double rounds = static_cast<double>(team_.all(Fold::max, sort_->rounds()));
        const auto largest = static_cast<double>(team_.all(Fold::max, std::uint64_t{block_.size()}));
        if (!asked_.output.empty()) {
            write_items<Item>(team_, block_, asked_.type, asked_.output);
        }
        std::vector<Fact> facts = {{"rounds", "", rounds},
                                   {"load", "", largest * team_.size() / static_cast<double>(total_)}};
        if (asked_.parameters.algorithm == Algorithm::radix) {
            const std::uint64_t bytes = team_.all(Fold::max, sort_->step_bytes());
            facts.push_back({"step_bytes", "B", static_cast<double>(bytes)});
        }
        return facts;
    }

  private:
    const Team& team_;
    Asked asked_;
    Phases phases_;
    std::unique_ptr<Sort<Item>> sort_;
    std::vector<Item> input_;
    Checksum before_;
    std::uint64_t total_;
    std::vector<Item> block_;
};

/// This rank's keys, with their indices in the sequence of all; `total` gets how many these are.
template <class Item>
std::vector<Item> draw_input(const World& team, const Asked& request, std::uint64_t seed,
                             std::uint64_t& total) {
    std::vector<Key> of_file;
    total = request.keys_per_rank * static_cast<std::uint64_t>(team.size());
    if (!request.file.empty()) {
        of_file = read_keys(team, request.file, request.type);
        total = of_file.size();
    }
    const Input input(request.distribution, request.type, total, seed);
    const std::vector<std::uint64_t> begin = cut_into_blocks(request.blocks, total, team.size(), seed);
    const auto rank = static_cast<std::size_t>(team.rank());
    // The input, a copy that is sorted, what arrives, and room to merge.
    constexpr double copies = 4;
    require_memory(team, copies * sizeof(Item) * static_cast<double>(begin[rank + 1] - begin[rank]),
                   "the keys do", "fewer --keys-per-rank");
    std::vector<Item> block(begin[rank + 1] - begin[rank]);
    for (std::uint64_t i = 0; i < block.size(); ++i) {
        const std::uint64_t index = begin[rank] + i;
        put(block[i], of_file.empty() ? input.key(index) : of_file[index], index);
    }
    return block;
}

template <class Item>
std::unique_ptr<Operation> make(const MpiContext& context, Asked request) {
    request.parameters.seed = context.settings.seed;
    std::uint64_t total = 0;
    std::vector<Item> input = draw_input<Item>(context.world, request, context.settings.seed, total);
    std::optional<std::string> refused;
    if (request.parameters.algorithm == Algorithm::mini && input.size() != 1) {
        refused = "mini sort takes exactly one key a rank, not " + std::to_string(input.size()) +
                  "; --keys-per-rank 1 and even blocks";
    }
    fail_together(context.team, "the input cannot be sorted", refused);
    return std::make_unique<SortOperation<Item>>(context, request, std::move(input), total);
}

} // namespace

std::unique_ptr<Operation> make_operation(const MpiContext& context, const Asked& request) {
    return request.payload ? make<Record>(context, request) : make<Key>(context, request);
}

} // namespace goodsyard::sorting
