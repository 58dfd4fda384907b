#include "runtime/updates.hpp"

#include <algorithm>
#include <vector>

#include "harness/random.hpp"
#include "runtime/channel.hpp"
#include "runtime/make_transport.hpp"

namespace goodsyard::runtime {

namespace {

/// Updates between looks for messages.
constexpr std::size_t chunk = 4096;

struct Update {
    std::uint64_t place; ///< In the table of its owner.
};

class UpdatesOperation final : public Operation {
  public:
    UpdatesOperation(const MpiContext& context, const Parameters& parameters, const Updates& request)
        : team_(context.team), transport_(make_transport(context.world, parameters)),
          runtime_(*transport_, parameters, context.computation), channel_(runtime_),
          table_(std::size_t{1} << static_cast<unsigned>(request.table_bits)), targets_(request.per_rank) {
        channel_.on_receipt([this](const Update& update) { table_[update.place]++; });
        const Random random(context.settings.seed);
        const auto ranks = static_cast<std::uint64_t>(team_.size());
        const std::uint64_t first = static_cast<std::uint64_t>(team_.rank()) * request.per_rank;
        for (std::uint64_t i = 0; i < targets_.size(); ++i) {
            const std::uint64_t drawn = random.below(ranks * table_.size(), first + i);
            targets_[i] = {static_cast<int>(drawn / table_.size()), {drawn % table_.size()}};
            expected_ += mix64(drawn);
        }
    }

    void prepare() override {
        std::fill(table_.begin(), table_.end(), 0);
        runtime_.counters() = {};
    }
    void run() override {
        runtime_.epoch_over(targets_.size(), chunk,
                            [this](std::size_t i) { channel_.send(targets_[i].rank, targets_[i].update); });
    }
    std::optional<std::string> wrong() override {
        std::uint64_t created = 0;
        const std::uint64_t first = static_cast<std::uint64_t>(team_.rank()) * table_.size();
        for (std::uint64_t i = 0; i < table_.size(); ++i) {
            created += table_[i] * mix64(first + i);
        }
        if (team_.all(Fold::sum, created) != team_.all(Fold::sum, expected_)) {
            return "updates were lost, doubled or made at other places";
        }
        return std::nullopt;
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] std::vector<Fact> facts() override { return runtime::facts(team_, runtime_.counters()); }

  private:
    struct Target {
        int rank;
        Update update;
    };

    const Team& team_;
    std::unique_ptr<Transport> transport_;
    Runtime runtime_;
    Channel<Update> channel_;
    std::vector<std::uint64_t> table_;
    std::vector<Target> targets_;
    std::uint64_t expected_ = 0;
};

} // namespace

std::unique_ptr<Operation> make_updates(const MpiContext& context, const Parameters& parameters,
                                        const Updates& request) {
    require_table(context.world, request, 2);
    return std::make_unique<UpdatesOperation>(context, parameters, request);
}

} // namespace goodsyard::runtime
