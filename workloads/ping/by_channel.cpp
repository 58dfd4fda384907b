#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "harness/failure.hpp"
#include "ping/ping.hpp"
#include "runtime/channel.hpp"
#include "runtime/left_out.hpp"
#include "runtime/make_transport.hpp"

namespace goodsyard::ping {

Pair::Pair(const Team& team)
    : sends(team.rank() < team.size() / 2),
      partner(sends ? team.rank() + team.size() / 2 : team.rank() - team.size() / 2), pairs(team.size() / 2) {
    if (team.size() % 2 != 0) {
        throw UsageError(std::to_string(team.size()) +
                         " ranks are no pairs of a sender and a receiver; an even number of ranks");
    }
}

namespace {

/// Messages between looks for others.
constexpr std::size_t piece = 1024;

template <std::size_t Bytes>
struct Payload {
    std::array<std::uint64_t, Bytes / sizeof(std::uint64_t)> words;
};

template <std::size_t Bytes>
class ByChannel final : public Operation {
  public:
    ByChannel(const MpiContext& context, const runtime::Parameters& parameters, std::uint64_t messages)
        : team_(context.team), pair_(context.team), messages_(messages),
          transport_(runtime::make_transport(context.world, parameters)),
          runtime_(*transport_, parameters, context.computation), channel_(runtime_) {
        payload_.words.fill(pattern);
        channel_.on_receipt([this](const Payload<Bytes>& payload) {
            ++arrived_;
            changed_ |= (payload.words.front() ^ pattern) | (payload.words.back() ^ pattern);
        });
    }

    void prepare() override {
        arrived_ = changed_ = 0;
        runtime_.counters() = {};
    }
    void run() override {
        runtime_.epoch_over(pair_.sends ? messages_ : 0, piece,
                            [&](std::size_t) { channel_.send(pair_.partner, payload_); });
    }
    std::optional<std::string> wrong() override {
        const bool all = arrived_ == (pair_.sends ? 0 : messages_) && changed_ == 0;
        return all ? std::nullopt : std::optional<std::string>("messages were lost or changed");
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] std::vector<Fact> facts() override {
        std::vector<Fact> all = runtime::facts(team_, runtime_.counters());
        all.push_back({"sent_bytes", "B", static_cast<double>(messages_ * Bytes) * pair_.pairs});
        return all;
    }

  private:
    static constexpr std::uint64_t pattern = 0x5A5A'5A5A'5A5A'5A5A;

    const Team& team_;
    Pair pair_;
    std::uint64_t messages_;
    std::unique_ptr<runtime::Transport> transport_;
    runtime::Runtime runtime_;
    runtime::Channel<Payload<Bytes>> channel_;
    /// One for all, as by plain MPI. One that is written between two sends waits in the copy until all that
    /// was stored before it has left the processor, the last message too.
    Payload<Bytes> payload_;
    std::uint64_t arrived_ = 0;
    std::uint64_t changed_ = 0; ///< Bits that differ at the ends of any payload.
};

/// With the smallest type that takes the payload.
template <std::size_t Bytes = sizeof(std::uint64_t)>
std::unique_ptr<Operation> make(const MpiContext& context, const Asked& request, const std::string& name,
                                const runtime::Parameters& parameters) {
    if constexpr (Bytes > longest_item_bytes) {
        return runtime::left_out(context.settings, name,
                                 "--payload of at most " + std::to_string(longest_item_bytes));
    } else {
        if (static_cast<std::size_t>(request.payload_bytes) == Bytes) {
            return std::make_unique<ByChannel<Bytes>>(context, parameters, request.messages());
        }
        return make<2 * Bytes>(context, request, name, parameters);
    }
}

} // namespace

std::unique_ptr<Operation> make_aggregated(const MpiContext& context, const Asked& request) {
    runtime::Parameters parameters = request.runtime;
    parameters.buffer_bytes = std::max<std::int64_t>(parameters.buffer_bytes, request.payload_bytes);
    return make(context, request, "aggregated", parameters);
}

std::unique_ptr<Operation> make_raw(const MpiContext& context, const Asked& request) {
    runtime::Parameters parameters = request.runtime;
    parameters.buffer_bytes = request.payload_bytes;
    return make(context, request, "raw", parameters);
}

} // namespace goodsyard::ping
