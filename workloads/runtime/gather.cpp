#include <algorithm>
#include <vector>

#include "harness/random.hpp"
#include "runtime/channel.hpp"
#include "runtime/make_transport.hpp"
#include "runtime/updates.hpp"

namespace goodsyard::runtime {

namespace {

/// Questions between looks for messages.
constexpr std::size_t chunk = 4096;

struct Question {
    std::uint64_t place; ///< In the table of its owner.
    std::uint64_t slot;  ///< Of the answer, where it was asked.
};
struct Answer {
    std::uint64_t slot;
    std::uint64_t value;
};

/// Reads at random places of a distributed table: a question and an answer each.
class GatherOperation final : public Operation {
  public:
    GatherOperation(const MpiContext& context, const Parameters& parameters, const Updates& request)
        : team_(context.team), transport_(make_transport(context.world, parameters)),
          runtime_(*transport_, parameters, context.computation), questions_(runtime_), answers_(runtime_),
          table_(std::size_t{1} << static_cast<unsigned>(request.table_bits)), places_(request.per_rank),
          found_(request.per_rank) {
        questions_.on_receipt([this](const Question& question, int from) {
            answers_.send(from, {question.slot, table_[question.place]});
        });
        answers_.on_receipt([this](const Answer& answer) { found_[answer.slot] = answer.value; });
        const Random random(context.settings.seed);
        const auto rank = static_cast<std::uint64_t>(team_.rank());
        for (std::uint64_t i = 0; i < table_.size(); ++i) {
            table_[i] = mix64(rank * table_.size() + i);
        }
        for (std::uint64_t i = 0; i < places_.size(); ++i) {
            places_[i] = random.below(static_cast<std::uint64_t>(team_.size()) * table_.size(),
                                      rank * request.per_rank + i);
        }
    }

    void prepare() override {
        std::fill(found_.begin(), found_.end(), 0);
        runtime_.counters() = {};
    }
    void run() override {
        runtime_.epoch_over(places_.size(), chunk, [this](std::size_t i) {
            const std::uint64_t place = places_[i];
            questions_.send(static_cast<int>(place / table_.size()), {place % table_.size(), i});
        });
    }
    std::optional<std::string> wrong() override {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (found_[i] != mix64(places_[i])) {
                return "question " + std::to_string(i) + " has another answer than place " +
                       std::to_string(places_[i]) + " has";
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] std::vector<Fact> facts() override { return runtime::facts(team_, runtime_.counters()); }

  private:
    const Team& team_;
    std::unique_ptr<Transport> transport_;
    Runtime runtime_;
    Channel<Question> questions_;
    Channel<Answer> answers_;
    std::vector<std::uint64_t> table_;
    std::vector<std::uint64_t> places_; ///< Of all tables, one behind the other.
    std::vector<std::uint64_t> found_;
};

} // namespace

std::unique_ptr<Operation> make_gather(const MpiContext& context, const Parameters& parameters,
                                       const Updates& request) {
    require_table(context.world, request, 2);
    return std::make_unique<GatherOperation>(context, parameters, request);
}

} // namespace goodsyard::runtime
