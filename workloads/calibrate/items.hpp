// Work items of the active-message runtime, on one rank.
#pragma once

#include <cstdint>
#include <span>

#include "agm/classes.hpp"
#include "agm/current.hpp"
#include "global/forall.hpp"
#include "harness/random.hpp"
#include "runtime/alone.hpp"
#include "runtime/channel.hpp"

namespace goodsyard {

/// Items that a rank sends to itself, and handles by one execution model: each adds itself to a sum.
class Items {
  public:
    /// `buffer_bytes` 0: each is a message of its own.
    explicit Items(runtime::Execution execution, std::int64_t buffer_bytes = runtime::automatic)
        : parameters_(runtime::settled({.execution = execution, .buffer_bytes = buffer_bytes})),
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

    /// Epochs with nothing to do. Returns the same sum.
    std::uint64_t epochs(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            sum_ += runtime_.epoch().sum;
        }
        return sum_;
    }

    /// A loop of a task whose indices are a task each. Returns the same sum.
    std::uint64_t loop(std::uint64_t count) {
        runtime_.tasks().run_fibre([this, count] {
            global::forall_async(runtime_, {0, count}, [this](std::uint64_t i) { sum_ += i; }, 1);
        });
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

/// Work items of classes, as the machine of graph algorithms keeps them.
class KeptItems {
  public:
    static constexpr std::uint64_t classes = 64;

    /// Each waits for its class and is then taken out. Returns the sum of all that ever were.
    std::uint64_t keep(std::uint64_t count) {
        classes_.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
            classes_.push(mix64(i) % classes, {i, i});
        }
        const auto least = [this] {
            return classes_.least([](const Item&) { return true; }, [](const Item&) {});
        };
        for (agm::Key key = least(); key != agm::no_key; key = least()) {
            classes_.take(key, current_.queue());
            while (!current_.empty()) {
                const std::span<const Item> first = current_.first();
                for (const Item& item : first) {
                    sum_ += item.vertex;
                }
                current_.drop(first.size());
            }
        }
        return sum_;
    }

  private:
    struct Item {
        std::uint64_t vertex;
        std::uint64_t distance;
    };
    agm::Classes<Item> classes_;
    agm::Current<Item> current_{false};
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
