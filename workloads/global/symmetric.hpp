// One object on each rank, each of which knows where those of the others lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "global/global_ptr.hpp"
#include "harness/team.hpp"
#include "runtime/agreement.hpp"
#include "runtime/name_of.hpp"

namespace goodsyard::global {

/// An object that each rank has one of: what delegates work on that are sent to a rank, not to an element.
template <class T>
class Symmetric {
  public:
    /// `local` outlives this, and all delegates that are sent to it. Collective. Ends the program where the
    /// ranks do not make the same.
    Symmetric(const Team& team, T& local, runtime::Place place = runtime::Place::current())
        : Symmetric(team, local, "a Symmetric<" + runtime::name_of<T>() + ">", place) {}
    /// For what has one: `product` is what the ranks make, for people.
    Symmetric(const Team& team, T& local, const std::string& product, const runtime::Place& place)
        : addresses_(runtime::addresses_of_product(team, &local, product, place)) {}

    /// Raises std::out_of_range where there is no such rank.
    [[nodiscard]] GlobalPtr<T> on(int rank) const {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of that rank.
        return {rank, reinterpret_cast<T*>(addresses_.at(static_cast<std::size_t>(rank)))};
    }

  private:
    std::vector<std::uintptr_t> addresses_; ///< By rank.
};

} // namespace goodsyard::global
