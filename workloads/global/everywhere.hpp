// What one task does on all ranks: run a function on each, loop over indices, fold values, allocate an array;
// and wait until all of it has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "global/delegates.hpp"
#include "global/distribution.hpp"
#include "global/forall.hpp"
#include "global/symmetric.hpp"

namespace goodsyard::global {

class Everywhere;

/// An array that a task has allocated on all ranks: trivially copyable, so that functions capture it. Its
/// elements are those of the rank that a function runs on.
template <class T>
struct TaskArray {
    std::uint64_t number; ///< On every rank the same.
    std::uint64_t size;
};

/// As delegates: made in the same order on all ranks, before the epoch in which it is used. Its functions are
/// called by a single fibre, of any rank, and return when everything has ended on all ranks; several fibres
/// may be in them at the same time. Each takes a task on every rank (`--active-tasks`). Functions that are
/// sent capture values only, at most 200 bytes, trivially copyable; they run as fibres, and may wait.
class Everywhere {
  public:
    /// Collective. `delegates` outlives this.
    Everywhere(const Team& team, Delegates& delegates) : delegates_(delegates), ranks_(team, *this) {}
    Everywhere(const Everywhere&) = delete;
    Everywhere& operator=(const Everywhere&) = delete;

    [[nodiscard]] Runtime& runtime() { return delegates_.runtime(); }
    [[nodiscard]] Delegates& delegates() { return delegates_; }

    /// `f(here)` once on each rank, with the Everywhere of that rank.
    template <class F>
    void run(F f) {
        CompletionEvent all(delegates_.tasks(), nullptr, "all ranks");
        for (int rank = 0; rank < runtime().size(); ++rank) {
            delegates_.spawn(ranks_.on(rank), f, all);
        }
        all.wait();
    }
    /// `body(here, index)` for 0 … size - 1, dealt to ranks in blocks, on each rank by tasks as many as there
    /// is room for.
    template <class Body>
    void forall(std::uint64_t size, Body body, std::uint64_t threshold = 0) {
        run([size, body, threshold](Everywhere& self) {
            const Distribution blocks(size, self.runtime().size(), Dealing::block);
            const int rank = self.runtime().rank();
            const std::uint64_t first = std::min(size, blocks.index(rank, 0));
            forall_here(
                self.runtime(), {first, first + blocks.count(rank)},
                [&self, &body](std::uint64_t i) {
                    Body local = body;
                    local(self, i);
                },
                threshold);
        });
    }
    /// The values of `f(here)` on all ranks, folded, in any order: `fold(T, T)`.
    template <class T, class F, class Fold>
    [[nodiscard]] T reduce(T first, F f, Fold fold) {
        struct Folded {
            T value;
            Fold fold;
        } folded{std::move(first), fold};
        const GlobalPtr<Folded> result{runtime().rank(), &folded};
        run([f, result](Everywhere& self) {
            const T own_part = f(self);
            self.delegates().call(result,
                                  [own_part](Folded& all) { all.value = all.fold(all.value, own_part); });
        });
        return folded.value;
    }

    /// An array of zeros, dealt to ranks in blocks. Freed by `free`, or with this.
    template <class T>
    [[nodiscard]] TaskArray<T> allocate(std::uint64_t size) {
        // A number that no other rank gives.
        const std::uint64_t number = allocated_++ * static_cast<std::uint64_t>(runtime().size()) +
                                     static_cast<std::uint64_t>(runtime().rank());
        run([number, size](Everywhere& self) {
            const Distribution blocks(size, self.runtime().size(), Dealing::block);
            self.memory_.emplace_back(number,
                                      std::make_shared<std::vector<T>>(blocks.count(self.runtime().rank())));
        });
        return {number, size};
    }
    /// No rank uses it any more.
    template <class T>
    void free(TaskArray<T> array) {
        run([array](Everywhere& self) {
            std::erase_if(self.memory_, [&](const auto& value) { return value.first == array.number; });
        });
    }
    /// This rank's elements. Legal everywhere.
    template <class T>
    [[nodiscard]] std::vector<T>& own(TaskArray<T> array) {
        for (const auto& [number, memory] : memory_) {
            if (number == array.number) {
                return *static_cast<std::vector<T>*>(memory.get());
            }
        }
        throw std::logic_error("an array of tasks that was freed, or never allocated");
    }
    /// Return `f(element)`, executed by the owner of an element; a fibre waits.
    template <class T, class F>
    auto call(TaskArray<T> array, std::uint64_t index, F f) {
        const Location at = Distribution(array.size, runtime().size(), Dealing::block).locate(index);
        return delegates_.call(ranks_.on(at.owner), [array, place = at.place, f](Everywhere& self) mutable {
            return f(self.own(array)[place]);
        });
    }

  private:
    Delegates& delegates_;
    std::vector<std::pair<std::uint64_t, std::shared_ptr<void>>> memory_; ///< Of arrays, by number.
    std::uint64_t allocated_ = 0;
    Symmetric<Everywhere> ranks_;
};

} // namespace goodsyard::global
