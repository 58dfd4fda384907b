#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/checksum.hpp"
#include "harness/random.hpp"
#include "runtime/channel.hpp"
#include "runtime/make_transport.hpp"
#include "runtime/queue.hpp"
#include "runtime/updates.hpp"

namespace goodsyard::runtime {

namespace {

/// Darts between looks for messages.
constexpr std::size_t chunk = 4096;
/// Places of the board for each dart.
constexpr std::uint64_t room = 2;
constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();

struct Dart {
    std::uint64_t place;  ///< On the board of its owner.
    std::uint64_t number; ///< What is permuted.
};
struct Placed {
    std::uint64_t place;
    std::uint64_t number;
};

/// A random permutation by throwing darts at a board of twice as many places: one that meets another is
/// thrown again. What sticks, in the order of the board, is dealt out evenly.
///
/// P. B. Gibbons, Y. Matias, V. Ramachandran: Efficient low-contention parallel algorithms, SPAA 1994, DOI
/// 10.1145/181014.181382.
class PermutationOperation final : public Operation {
  public:
    PermutationOperation(const MpiContext& context, const Parameters& parameters, const Updates& request)
        : team_(context.team), transport_(make_transport(context.world, parameters)),
          runtime_(*transport_, parameters, context.computation), darts_(runtime_), missed_(runtime_),
          placed_(runtime_),
          random_(context.settings.seed, static_cast<std::uint64_t>(context.team.rank()) + 1),
          board_(room * request.per_rank), permutation_(request.per_rank) {
        darts_.on_receipt([this](const Dart& dart, int from) {
            std::uint64_t& place = board_[dart.place];
            if (place == empty) {
                place = dart.number;
            } else {
                missed_.send(from, dart.number);
            }
        });
        missed_.on_receipt([this](std::uint64_t number) { in_hand_.push(number); });
        placed_.on_receipt([this](const Placed& placed) { permutation_[placed.place] = placed.number; });
    }

    void prepare() override {
        std::fill(board_.begin(), board_.end(), empty);
        std::fill(permutation_.begin(), permutation_.end(), empty);
        for (std::uint64_t i = 0; i < permutation_.size(); ++i) {
            in_hand_.push(static_cast<std::uint64_t>(team_.rank()) * permutation_.size() + i);
        }
        runtime_.counters() = {};
        drawn_ = 0;
    }
    void run() override {
        runtime_.epoch([this] { return throw_some(); }, [] { return Agreed{}; });
        deal_out();
    }
    std::optional<std::string> wrong() override {
        const Checksum result = of_all(team_, checksum<std::uint64_t>(permutation_));
        Checksum numbers;
        for (std::uint64_t i = 0; i < permutation_.size(); ++i) {
            numbers.add(static_cast<std::uint64_t>(team_.rank()) * permutation_.size() + i);
        }
        if (result != of_all(team_, numbers)) {
            return "it is no permutation: numbers were lost or doubled";
        }
        return std::nullopt;
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] std::vector<Fact> facts() override { return runtime::facts(team_, runtime_.counters()); }

  private:
    bool throw_some() {
        const std::uint64_t places = static_cast<std::uint64_t>(team_.size()) * board_.size();
        std::size_t thrown = 0;
        for (; thrown < chunk && !in_hand_.empty(); ++thrown) {
            const std::uint64_t place = random_.below(places, drawn_++);
            darts_.send(static_cast<int>(place / board_.size()), {place % board_.size(), in_hand_.pop()});
        }
        return thrown > 0;
    }
    void deal_out() {
        const auto on_board = static_cast<std::uint64_t>(
            std::count_if(board_.begin(), board_.end(), [](std::uint64_t value) { return value != empty; }));
        const std::vector<std::uint64_t> all = team_.of_each(on_board);
        std::uint64_t next = std::accumulate(all.begin(), all.begin() + team_.rank(), std::uint64_t{0});
        for (const std::uint64_t number : board_) {
            if (number != empty) {
                const int owner = static_cast<int>(next / permutation_.size());
                placed_.send(owner, {next % permutation_.size(), number});
                ++next;
            }
        }
        runtime_.epoch();
    }

    const Team& team_;
    std::unique_ptr<Transport> transport_;
    Runtime runtime_;
    Channel<Dart> darts_;
    Channel<std::uint64_t> missed_;
    Channel<Placed> placed_;
    Random random_;
    std::uint64_t drawn_ = 0;
    Queue<std::uint64_t> in_hand_;
    std::vector<std::uint64_t> board_;
    std::vector<std::uint64_t> permutation_;
};

} // namespace

std::unique_ptr<Operation> make_permutation(const MpiContext& context, const Parameters& parameters,
                                            const Updates& request) {
    require_table(context.world, request, 4);
    return std::make_unique<PermutationOperation>(context, parameters, request);
}

} // namespace goodsyard::runtime
