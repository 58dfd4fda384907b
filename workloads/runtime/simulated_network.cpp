#include "runtime/simulated_network.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/ending.hpp"
#include "harness/random.hpp"
#include "harness/ranks_of_a_process.hpp"

namespace goodsyard::runtime {

namespace {

constexpr std::size_t stack_bytes = 1 << 20; ///< Of a rank.

/// What a rank has raised last.
struct Raised {
    std::exception_ptr error;
    int rank = -1;
};
Raised& last_exception() {
    static Raised last;
    return last;
}

/// Who takes turns, what is on its way, and what comes next.
class Schedule {
  public:
    explicit Schedule(const NetworkSettings& settings)
        : settings_(settings), random_(settings.seed), stacks_(stack_bytes), places_(ranks()),
          arriving_(ranks()), on_their_way_(ranks()), numbers_(ranks()), meets_(ranks()),
          transports_(ranks()) {}

    void run(const std::function<void(int rank, Schedule&)>& body) {
        std::vector<int> running;
        for (int rank = 0; rank < settings_.ranks; ++rank) {
            fibres_.push_back(
                std::make_unique<Fibre>(stacks_.take(), [this, &body, rank] { body(rank, *this); }));
            running.push_back(rank);
        }
        while (!running.empty()) {
            if (++now_ > settings_.turns) {
                throw std::runtime_error("the ranks have not ended after " + std::to_string(now_ - 1) +
                                         " turns with seed " + std::to_string(settings_.seed) + ":" +
                                         text_of(running));
            }
            const auto chosen = running.begin() + static_cast<std::ptrdiff_t>(draw(running.size()));
            Fibre& fibre = *fibres_[static_cast<std::size_t>(*chosen)];
            try {
                fibre.resume();
            } catch (...) {
                last_exception() = {std::current_exception(), *chosen};
                throw;
            }
            if (fibre.has_ended()) {
                running.erase(chosen);
            }
        }
    }

    [[nodiscard]] std::vector<std::atomic<std::uint64_t>>& numbers() { return numbers_; }

    void pass(int rank) { fibres_[static_cast<std::size_t>(rank)]->suspend(); }

    bool send(int from, Buffer& message) {
        int& local = on_their_way_[static_cast<std::size_t>(from)];
        if (local >= settings_.sends) {
            return false;
        }
        ++local;
        const std::uint64_t delay = draw(static_cast<std::uint64_t>(settings_.longest_delay) + 1);
        arriving_[static_cast<std::size_t>(std::exchange(message.rank, from))].push_back(
            {std::move(message), now_ + delay});
        return true;
    }
    bool receive(int to, Buffer& message) {
        auto& arriving = arriving_[static_cast<std::size_t>(to)];
        const std::size_t first = arriving.empty() ? 0 : draw(arriving.size());
        for (std::size_t i = 0; i < arriving.size(); ++i) {
            OnItsWay& result = arriving[(first + i) % arriving.size()];
            if (result.due <= now_) {
                message = std::move(result.message);
                std::swap(result, arriving.back());
                arriving.pop_back();
                --on_their_way_[static_cast<std::size_t>(message.rank)];
                return true;
            }
        }
        return false;
    }

    /// Until all ranks have come.
    void meet(int rank) {
        const std::uint64_t meeting = meetings_;
        meets_[static_cast<std::size_t>(rank)] = 1;
        if (++came_ == settings_.ranks) {
            came_ = 0;
            ++meetings_;
        }
        while (meeting == meetings_) {
            pass(rank);
        }
        meets_[static_cast<std::size_t>(rank)] = 0;
    }
    void set_transport(int rank, const Transport* transport) {
        transports_[static_cast<std::size_t>(rank)] = transport;
    }

    [[nodiscard]] const NetworkSettings& settings() const { return settings_; }
    [[nodiscard]] std::uint64_t now() const { return now_; }
    [[nodiscard]] Places& places() { return places_; }

  private:
    struct OnItsWay {
        Buffer message;
        std::uint64_t due;
    };

    /// Where ranks are that have not ended.
    [[nodiscard]] std::string text_of(const std::vector<int>& running) const {
        std::string text;
        for (const int rank : running) {
            const auto place = static_cast<std::size_t>(rank);
            text += (text.empty() ? " rank " : ", rank ") + std::to_string(rank) +
                    (meets_[place] != 0 ? " waits for the others, in what is collective" : " is there");
            if (transports_[place] != nullptr) {
                text += ", ";
                text += transports_[place]->text_of_wait();
            }
        }
        return text;
    }
    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(settings_.ranks); }
    [[nodiscard]] std::uint64_t draw(std::uint64_t limit) { return random_.below(limit, drawn_++); }

    const NetworkSettings& settings_;
    Random random_;
    std::uint64_t drawn_ = 0;
    std::uint64_t now_ = 0;
    StackPool stacks_;
    Places places_;
    std::vector<std::vector<OnItsWay>> arriving_; ///< At each rank.
    std::vector<int> on_their_way_;               ///< From each rank.
    std::vector<std::atomic<std::uint64_t>> numbers_;
    int came_ = 0;
    std::uint64_t meetings_ = 0;
    std::vector<char> meets_;                    ///< Whether a rank waits for the others.
    std::vector<const Transport*> transports_;   ///< Of each rank, while there is one.
    std::vector<std::unique_ptr<Fibre>> fibres_; ///< Given up first: what they hold refers to the rest.
};

class SimulatedRank final : public RankOfProcess {
  public:
    SimulatedRank(Schedule& schedule, int rank)
        : RankOfProcess(schedule.places(), rank), schedule_(schedule) {}
    void barrier() const override { schedule_.meet(rank()); }

  private:
    Schedule& schedule_;
};

class SimulatedTransport final : public Transport {
  public:
    SimulatedTransport(Schedule& schedule, int rank)
        : Transport(schedule.settings().buffer_bytes), schedule_(schedule), rank_(rank) {
        schedule.set_transport(rank, this);
    }
    ~SimulatedTransport() override { schedule_.set_transport(rank_, nullptr); }

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return schedule_.settings().ranks; }
    [[nodiscard]] int ranks_of_node() const override {
        const int ranks = schedule_.settings().ranks_of_node;
        return ranks == 0 ? size() : ranks;
    }
    [[nodiscard]] bool send(Buffer& buffer) override { return schedule_.send(rank_, buffer); }
    [[nodiscard]] bool receive(Buffer& buffer) override {
        schedule_.pass(rank_);
        return schedule_.receive(rank_, buffer);
    }
    [[nodiscard]] NodeNumbers numbers_of_node() override {
        return runtime::numbers_of_node(schedule_.numbers(), rank_, ranks_of_node());
    }
    void idle() override { schedule_.pass(rank_); }
    [[nodiscard]] double now_s() const override { return 1e-6 * static_cast<double>(schedule_.now()); }

  private:
    Schedule& schedule_;
    int rank_;
};

} // namespace

void SimulatedNetwork::run(const std::function<void(const Team&, Transport&)>& body) const {
    end_by_uncaught_by_default([](const std::exception_ptr& error) {
        return error != nullptr && error == last_exception().error ? last_exception().rank : -1;
    });
    Schedule schedule(settings_);
    schedule.run([&](int rank, Schedule& network) {
        const SimulatedRank team(network, rank);
        SimulatedTransport transport(network, rank);
        body(team, transport);
    });
}

} // namespace goodsyard::runtime
