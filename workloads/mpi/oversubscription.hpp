// More ranks than CPUs.
#pragma once

#include <string>

#include "harness/last_words.hpp"
#include "mpi/session.hpp"

namespace goodsyard {

/// Say on stderr, once, where the ranks of a host are more than its CPUs: times are then no times of ranks
/// that run at once. Collective.
inline void warn_if_oversubscribed(const World& world, const std::string& program) {
    const int hosts_oversubscribed = world.all(Fold::max, world.is_oversubscribed() ? 1 : 0);
    if (world.is_root() && hosts_oversubscribed > 0) {
        say_line(program + ": more ranks (" + std::to_string(world.size()) +
                 ") than CPUs: times are the work of all ranks together");
    }
}

} // namespace goodsyard
