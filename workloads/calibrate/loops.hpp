// One loop for each kind of operation that is charged on simulated machines; each returns how many operations
// it made. README.md, "calibrate", says what one is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "calibrate/items.hpp"
#include "calibrate/searches.hpp"
#include "harness/random.hpp"
#include "uts/sha1.hpp"
#include "uts/tree.hpp"

namespace goodsyard {

/// Keep the compiler from dropping what made `value`.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

inline constexpr std::size_t in_cache = std::size_t{1} << 15;     ///< 256 KiB of 8-byte values.
inline constexpr std::size_t beyond_cache = std::size_t{1} << 24; ///< 128 MiB.

/// Memory that the loops work on.
class Loops {
  public:
    Loops() : keys_(in_cache), sorted_(in_cache), next_(beyond_cache) {
        const Random random(1);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            keys_[i] = random.bits(i);
        }
        one_cycle(next_);
    }

    /// Comparisons of std::sort on uniform keys, its exchanges included.
    std::uint64_t comparison() {
        sorted_ = keys_;
        std::uint64_t comparisons = 0;
        std::sort(sorted_.begin(), sorted_.end(), [&](std::uint64_t a, std::uint64_t b) {
            ++comparisons;
            return a < b;
        });
        keep(sorted_);
        return comparisons;
    }

    /// Values of 8 bytes copied from one place in the cache to another.
    std::uint64_t move() {
        constexpr int rounds = 32;
        for (int i = 0; i < rounds; ++i) {
            std::copy(keys_.begin(), keys_.end(), sorted_.begin());
            keep(sorted_);
        }
        return rounds * in_cache;
    }

    /// Values put through mix64, each independent of the others.
    std::uint64_t hash() {
        constexpr int rounds = 8;
        std::uint64_t sum = 0;
        for (int i = 0; i < rounds; ++i) {
            for (const std::uint64_t key : keys_) {
                sum += mix64(key + static_cast<std::uint64_t>(i));
            }
        }
        keep(sum);
        return rounds * in_cache;
    }

    /// Multiplications and additions of doubles in eight chains, each of which waits for itself.
    std::uint64_t flop() {
        constexpr std::uint64_t steps = 1 << 15;
        std::array<double, 8> chain = {1, 2, 3, 4, 5, 6, 7, 8};
        double factor = 0.999999;
        keep(factor);
        for (std::uint64_t i = 0; i < steps; ++i) {
            for (double& value : chain) {
                value = value * factor + 1e-9;
            }
        }
        keep(chain);
        return 2 * chain.size() * steps;
    }

    /// Reads of 8 bytes at random places of 128 MiB, each of which tells the place of the next.
    std::uint64_t random_access() {
        constexpr std::uint64_t steps = 1 << 15;
        for (std::uint64_t i = 0; i < steps; ++i) {
            at_ = next_[at_];
        }
        keep(at_);
        return steps;
    }

    /// Items of a rank to itself, sent and handled.
    std::uint64_t handler() { return handled(handler_); }
    std::uint64_t coroutine() { return handled(coroutine_); }
    std::uint64_t fibre() { return handled(fibre_); }

    /// Switches to a fibre and back, with 1,000 of them.
    std::uint64_t fibre_switch() {
        constexpr std::uint64_t rounds = 32;
        for (std::uint64_t i = 0; i < rounds; ++i) {
            yielding_.round();
        }
        return rounds * live_fibres;
    }

    /// States of the children of a node of UTS, four at a time, by instructions where the processor has any.
    std::uint64_t sha1() {
        constexpr std::uint32_t rounds = 1 << 11;
        std::array<uts::Digest, 4> states = {};
        for (std::uint32_t i = 0; i < rounds; ++i) {
            const uts::Digest parent = states.back();
            sha1_.children(parent, i, states);
        }
        keep(states);
        return rounds * states.size();
    }

    /// Tasks of a loop, each with a stack of its own.
    std::uint64_t task() {
        keep(fibre_.loop(in_cache));
        return in_cache;
    }
    /// Items of a rank to itself, each a message; all are sent before the first is handled.
    std::uint64_t parcel() {
        keep(parcel_.handle(in_cache, in_cache));
        return in_cache;
    }
    /// Items that wait for their class.
    std::uint64_t kept_item() {
        keep(kept_.keep(in_cache));
        return in_cache;
    }
    /// Epochs of a rank that is alone and has nothing to do.
    std::uint64_t epoch() {
        constexpr std::uint64_t epochs = 1 << 12;
        keep(handler_.epochs(epochs));
        return epochs;
    }
    /// Edges of shortest paths, each with a work item that is compared with what its vertex has.
    std::uint64_t relaxation() { return distances_.run(); }
    /// Edges of a search by levels.
    std::uint64_t visit() { return levels_.run(); }
    /// Classes of one work item, each with its epoch.
    std::uint64_t item_class() {
        keep(path_.run());
        return path_.classes();
    }
    /// Delegates to objects of the rank itself.
    std::uint64_t delegate() {
        keep(handler_.delegate(in_cache));
        return in_cache;
    }
    /// Numbers of children of nodes of UTS.
    std::uint64_t children() {
        std::uint64_t sum = 0;
        for (const std::uint64_t key : keys_) {
            uts::Node node{};
            node.state[4] = static_cast<std::uint32_t>(key);
            node.depth = 1;
            sum += tree_.children(node);
        }
        keep(sum);
        return keys_.size();
    }

  private:
    static constexpr std::uint64_t live_fibres = 1000;

    static std::uint64_t handled(Items& items) {
        constexpr std::uint64_t piece = 1 << 11;
        keep(items.handle(in_cache, piece));
        return in_cache;
    }

    /// A permutation of one cycle (Sattolo 1986), so that a walk comes by every place.
    static void one_cycle(std::vector<std::uint64_t>& next) {
        std::iota(next.begin(), next.end(), std::uint64_t{0});
        const Random random(2);
        for (std::size_t i = next.size() - 1; i > 0; --i) {
            std::swap(next[i], next[random.below(i, i)]);
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> sorted_;
    std::vector<std::uint64_t> next_;
    std::uint64_t at_ = 0;
    Items handler_{runtime::Execution::handler};
    Items coroutine_{runtime::Execution::coroutine};
    Items fibre_{runtime::Execution::fibre};
    Items parcel_{runtime::Execution::handler, 0};
    KeptItems kept_;
    Search<agm::Sssp> distances_{drawn_graph()};
    Search<agm::Bfs> levels_{drawn_graph(), true};
    Search<agm::Sssp> path_{path_graph()};
    uts::Tree tree_{{.shape = uts::Shape::fixed}, uts::Sha::automatic};
    Yielding yielding_{live_fibres};
    uts::Sha1 sha1_{uts::Sha::automatic};
};

} // namespace goodsyard
