// Work items of the active-message runtime, on one rank.
#pragma once

#include "runtime/alone.hpp"
#include "runtime/channel.hpp"

namespace goodsyard {

/// Items that a rank sends to itself, and handles by one execution model: each adds itself to a sum.
class Items {
  public:
    explicit Items(runtime::Execution execution)
        : parameters_(runtime::settled({.execution = execution})),
          transport_(runtime::capacity_bytes(parameters_)), runtime_(transport_, parameters_, computation_),
          channel_(runtime_) {
        channel_.on_receipt([this](std::uint64_t item) { sum_ += item; });
    }

    /// Returns the sum of all that were ever handled.
    std::uint64_t handle(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            channel_.send(0, i);
        }
        runtime_.epoch();
        return sum_;
    }

  private:
    Computation computation_{ComputeMode::off, ""};
    runtime::Parameters parameters_;
    runtime::AloneTransport transport_;
    runtime::Runtime runtime_;
    runtime::Channel<std::uint64_t> channel_;
    std::uint64_t sum_ = 0;
};

/// Fibres that let each other go first.
class Yielding {
  public:
    explicit Yielding(std::uint64_t fibres) {
        for (std::uint64_t i = 0; i < fibres; ++i) {
            tasks_.run_fibre([this] {
                while (!ends_) {
                    tasks_.yield();
                }
            });
        }
    }
    Yielding(const Yielding&) = delete;
    Yielding& operator=(const Yielding&) = delete;
    ~Yielding() {
        ends_ = true;
        tasks_.run_ready();
    }
    void round() { tasks_.run_ready(); }

  private:
    runtime::Counters counters_;
    bool ends_ = false;
    runtime::Tasks tasks_{std::size_t{64} << 10U, counters_};
};

} // namespace goodsyard
