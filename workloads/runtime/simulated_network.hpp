// Ranks in one process, between which messages are delayed and reordered by a seed: for tests of what a real
// network does once in a million times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/team.hpp"
#include "runtime/fibre.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {

struct NetworkSettings {
    int ranks = 2;
    std::uint64_t seed = 1;
    int longest_delay = 50;         ///< Of a message or a sum, in turns of ranks.
    int sends = 4;                  ///< Messages of a rank on their way.
    int ranks_of_node = 0;          ///< 0: all.
    std::size_t buffer_bytes = 256; ///< Of a message, at most; not below `Parameters::buffer_bytes`.
    /// Turns after which it is certain that the ranks will never end.
    std::uint64_t turns = 20'000'000;
};

/// Ranks take turns whenever they look for messages, wait, or meet; whose turn it is, is drawn. Messages
/// overtake each other, those between the same two ranks too.
class SimulatedNetwork {
  public:
    explicit SimulatedNetwork(const NetworkSettings& settings) : settings_(settings) {}

    /// Run `body` on each rank, to its end. Raises what one of them raises, and std::runtime_error where they
    /// do not end.
    void run(const std::function<void(const Team&, Transport&)>& body) const;

  private:
    NetworkSettings settings_;
};

} // namespace goodsyard::runtime
