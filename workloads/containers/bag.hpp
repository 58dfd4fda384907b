// Elements without order, dealt to ranks in turn, with the semantics of YGM's `bag`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "global/messages.hpp"
#include "global/symmetric.hpp"

namespace goodsyard::containers {

/// As `Map`; `T` is of any type that can be serialised.
template <class T>
class Bag {
  public:
    /// Collective. `messages` outlives this.
    Bag(const Team& team, global::Messages& messages)
        : messages_(messages), next_(team.rank()), everywhere_(team, own_) {}
    Bag(const Bag&) = delete;
    Bag& operator=(const Bag&) = delete;

    /// Legal everywhere. A rank gives its elements to all ranks in turn, itself first.
    void async_insert(const T& element) {
        const int to = next_;
        next_ = next_ + 1 == messages_.runtime().size() ? 0 : next_ + 1;
        messages_.async(
            everywhere_.on(to), [](std::vector<T>& local, T& sent) { local.push_back(std::move(sent)); },
            element);
    }
    /// Keep an element on this rank. Not collective.
    void local_insert(T element) { own_.push_back(std::move(element)); }

    /// `f(element)` for the elements of each rank, on it. Collective. What `f` inserts is not visited.
    template <class F>
    void for_all(F f) {
        messages_.runtime().epoch();
        const std::size_t count = own_.size();
        for (std::size_t i = 0; i < count; ++i) {
            f(own_[i]);
        }
    }
    /// Elements of all ranks. Collective.
    [[nodiscard]] std::uint64_t size() {
        return messages_.runtime()
            .epoch([] { return false; }, [this] { return runtime::Agreed{.sum = own_.size()}; })
            .sum;
    }
    /// Collective.
    void clear() {
        messages_.runtime().epoch();
        own_.clear();
    }
    /// This rank's elements. Not collective.
    [[nodiscard]] const std::vector<T>& own() const { return own_; }

  private:
    global::Messages& messages_;
    std::vector<T> own_;
    int next_;
    global::Symmetric<std::vector<T>> everywhere_;
};

} // namespace goodsyard::containers
