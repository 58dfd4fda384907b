// One object on each rank, each of which knows where those of the others lie.
#pragma once

#include <vector>

#include "global/global_ptr.hpp"
#include "harness/team.hpp"

namespace goodsyard::global {

/// An object that each rank has one of: what delegates work on that are sent to a rank, not to an element.
template <class T>
class Symmetric {
  public:
    /// `own` outlives this, and all delegates that are sent to it. Collective.
    Symmetric(const Team& team, T& local) : addresses_(team.of_each(&local)) {}

    /// Raises std::out_of_range where there is no such rank.
    [[nodiscard]] GlobalPtr<T> on(int rank) const {
        return {rank, addresses_.at(static_cast<std::size_t>(rank))};
    }

  private:
    std::vector<T*> addresses_; ///< By rank.
};

} // namespace goodsyard::global
