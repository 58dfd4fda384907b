// An array over all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "global/distribution.hpp"
#include "global/global_ptr.hpp"
#include "harness/team.hpp"
#include "runtime/agreement.hpp"
#include "runtime/name_of.hpp"

namespace goodsyard::global {

/// Each rank allocates its own elements, zero at first; `array[i]` is a global pointer on every rank. An
/// array of no elements is one. Memory of a rank: its elements, and an address for each rank.
template <class T>
class GlobalArray {
    static_assert(!std::is_same_v<T, bool>, "a vector of bool has no elements to point to");

  public:
    /// Collective. Ends the program where the ranks do not make the same.
    GlobalArray(const Team& team, std::uint64_t size, Dealing dealing = Dealing::block,
                std::uint64_t block = 64, runtime::Place place = runtime::Place::current())
        : rank_(team.rank()), distribution_(size, team.size(), dealing, block) {
        runtime::compare_products(team,
                                  "a GlobalArray<" + runtime::name_of<T>() + "> of " + std::to_string(size) +
                                      " elements in blocks of " + std::to_string(distribution_.block()),
                                  place);
        own_.resize(distribution_.count(rank_));
        bases_ = team.of_each(own_.data());
    }
    GlobalArray(const GlobalArray&) = delete;
    GlobalArray& operator=(const GlobalArray&) = delete;

    [[nodiscard]] std::uint64_t size() const { return distribution_.size(); }
    [[nodiscard]] const Distribution& distribution() const { return distribution_; }
    /// Where element `index` lies. Raises std::out_of_range.
    [[nodiscard]] GlobalPtr<T> operator[](std::uint64_t index) const {
        if (index >= size()) [[unlikely]] {
            throw std::out_of_range("element " + std::to_string(index) + " of a GlobalArray of " +
                                    std::to_string(size()));
        }
        const Location at = distribution_.locate(index);
        return {at.owner, bases_[static_cast<std::size_t>(at.owner)] + at.place};
    }

    /// This rank's elements, in the order of their indices, and the index of one of them.
    [[nodiscard]] std::span<T> own() { return own_; }
    [[nodiscard]] std::span<const T> own() const { return own_; }
    [[nodiscard]] std::uint64_t index(std::uint64_t place) const { return distribution_.index(rank_, place); }

  private:
    int rank_;
    Distribution distribution_;
    std::vector<T> own_;
    std::vector<T*> bases_; ///< By rank.
};

} // namespace goodsyard::global
