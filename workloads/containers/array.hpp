// Elements by index, dealt to ranks in blocks, with the semantics of YGM's `array`.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "containers/visit.hpp"
#include "global/distribution.hpp"
#include "global/messages.hpp"
#include "global/symmetric.hpp"

namespace goodsyard::containers {

/// As `Map`; `T` is of any type that can be serialised, and made without arguments. Functions with an index
/// raise std::out_of_range where there is no such element.
template <class T>
class Array {
  public:
    /// Collective. `messages` outlives this.
    Array(const Team& team, global::Messages& messages, std::uint64_t size, const T& first = {})
        : messages_(messages), distribution_(size, team.size(), global::Dealing::block), rank_(team.rank()),
          own_(distribution_.count(rank_), first), everywhere_(team, *this) {}
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    [[nodiscard]] std::uint64_t size() const { return distribution_.size(); }

    /// Legal everywhere.
    void async_set(std::uint64_t index, const T& value) {
        const auto [owner, place] = locate(index);
        messages_.async(
            everywhere_.on(owner),
            [](Array& array, std::uint64_t at, T& sent) { array.own_[at] = std::move(sent); }, place, value);
    }
    /// Set an element to `fold(element, given)`. Legal everywhere.
    template <class Fold>
    void async_reduce(std::uint64_t index, const T& value, Fold fold) {
        const auto [owner, place] = locate(index);
        messages_.async(
            everywhere_.on(owner),
            [fold](Array& array, std::uint64_t at, T& sent) { array.own_[at] = fold(array.own_[at], sent); },
            place, value);
    }
    /// Execute `f(index, element, arguments…)` on the owner, with a reference to the element;
    /// or `f(array, index, element, arguments…)`. Legal everywhere.
    template <class F, class... Arguments>
    void async_visit(std::uint64_t index, F f, const Arguments&... arguments) {
        const auto [owner, place] = locate(index);
        messages_.async(
            everywhere_.on(owner),
            [f](Array& array, std::uint64_t at, auto&... sent) {
                visit(array, f, array.distribution_.index(array.rank_, at), array.own_[at], sent...);
            },
            place, arguments...);
    }
    /// `f(index, element)` for the elements of each rank, on it. Collective.
    template <class F>
    void for_all(F f) {
        messages_.runtime().epoch();
        for (std::uint64_t place = 0; place < own_.size(); ++place) {
            f(distribution_.index(rank_, place), own_[place]);
        }
    }

  private:
    [[nodiscard]] global::Location locate(std::uint64_t index) const {
        if (index >= size()) {
            throw std::out_of_range("element " + std::to_string(index) + " of an array of " +
                                    std::to_string(size()));
        }
        return distribution_.locate(index);
    }

    global::Messages& messages_;
    global::Distribution distribution_;
    int rank_;
    std::vector<T> own_;
    global::Symmetric<Array> everywhere_;
};

} // namespace goodsyard::containers
