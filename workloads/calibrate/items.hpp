// Work items of the active-message runtime, on one rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agm/classes.hpp"
#include "agm/current.hpp"
#include "global/delegates.hpp"
#include "global/forall.hpp"
#include "harness/random.hpp"
#include "runtime/alone.hpp"
#include "runtime/channel.hpp"

namespace goodsyard {

/// Items that a rank sends to itself, and handles by one execution model: each is compared with what is known
/// of its place, as those of graph algorithms are.
class Items {
  public:
    /// `buffer_bytes` 0: each is a message of its own.
    explicit Items(runtime::Execution execution, std::int64_t buffer_bytes = runtime::automatic)
        : parameters_(runtime::settled({.execution = execution, .buffer_bytes = buffer_bytes})),
          transport_(runtime::capacity_bytes(parameters_)), runtime_(transport_, parameters_, computation_),
          channel_(runtime_), delegates_(runtime_), least_(places) {
        channel_.on_receipt([this](const Item& item) { receive(item); });
    }

    /// Sends `piece` items between two times at which those that were sent are handled. Returns how many of
    /// all that were ever handled were not below what was known.
    std::uint64_t handle(std::uint64_t count, std::uint64_t piece) {
        runtime_.epoch_over(count, piece, [this](std::uint64_t i) { send(place(i), static_cast<float>(i)); });
        return rejected_;
    }

    /// Epochs with nothing to do. Returns the sum that their ranks have agreed on.
    std::uint64_t epochs(std::uint64_t count) {
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            sum += runtime_.epoch().sum;
        }
        return sum;
    }

    /// A loop of a task whose indices are a task each, which carries what a loop over the neighbours of a
    /// vertex needs. Returns a sum.
    std::uint64_t loop(std::uint64_t count) {
        std::uint64_t sum = 0;
        runtime_.tasks().run_fibre([this, count, &sum] {
            const auto body = [&sum, row = std::span<const float>(least_), parent = count,
                               level = 1.0F](global::Indices part) {
                for (const float least : row.subspan(part.first % places, part.size())) {
                    sum += least > level ? parent : 0;
                }
            };
            global::forall_async(runtime_, {0, count}, body, 1);
        });
        return sum;
    }

    /// Delegates to objects of the rank itself. Returns the same as `handle`.
    std::uint64_t delegate(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const global::GlobalPtr<float> object{0, &least_[place(i)]};
            rejected_ += delegates_.call(object, [](const float& least) { return least >= 0; }) ? 1 : 0;
        }
        return rejected_;
    }

  private:
    struct Item {
        std::uint32_t place;
        std::uint32_t parent;
        float value;
        std::uint32_t level;
    };
    static constexpr std::size_t places = 1 << 12;

    static std::uint32_t place(std::uint64_t i) {
        return static_cast<std::uint32_t>(i * 2654435761U % places);
    }
    /// As programs send: from inside of a loop that has other things to keep in registers.
    [[gnu::noinline]] void send(std::uint32_t place, float value) { channel_.send(0, {place, 0, value, 1}); }
    void receive(const Item& item) {
        if (item.value < least_[item.place]) {
            least_[item.place] = item.value;
        } else {
            ++rejected_;
        }
    }

    Computation computation_{ComputeMode::off, ""};
    runtime::Parameters parameters_;
    runtime::AloneTransport transport_;
    runtime::Runtime runtime_;
    runtime::Channel<Item> channel_;
    global::Delegates delegates_;
    std::vector<float> least_;
    std::uint64_t rejected_ = 0;
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
