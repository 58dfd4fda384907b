// What the collective operations have in common: elements that differ by sender, receiver and place, and the
// check of a buffer.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "harness/operation.hpp"
#include "mpi/session.hpp"

namespace goodsyard {

using Buffer = std::vector<double>;

/// Element i of what `sender` sends to `receiver`: different for neighbours, and exact in sums over 2^20
/// ranks.
inline double element(int sender, int receiver, std::size_t i) {
    return sender + 3.0 * (receiver % 1021) + static_cast<double>(i % 127) * 8192;
}

/// The sum of element(s, 0, i) over all senders.
inline double element_sum(int ranks, std::size_t i) {
    return ranks * (ranks - 1.0) / 2 + ranks * static_cast<double>(i % 127) * 8192;
}

/// Where a buffer is not what `wanted(index)` says.
template <class Wanted>
std::optional<std::string> first_difference(const Buffer& buffer, Wanted target) {
    for (std::size_t i = 0; i < buffer.size(); ++i) {
        if (buffer[i] != target(i)) {
            return "element " + std::to_string(i) + " is " + std::to_string(buffer[i]) + " and should be " +
                   std::to_string(target(i));
        }
    }
    return std::nullopt;
}

inline void spoil_buffer(Buffer& buffer) {
    buffer.assign(buffer.size(), std::numeric_limits<double>::quiet_NaN());
}

/// What all of them have: a place among the ranks, and a name.
class Collective : public Operation {
  public:
    Collective(std::string name, const World& world) : name_(std::move(name)), world_(world) {}

    [[nodiscard]] Labels labels() const override { return {{"bytes", bytes()}, {"algorithm", algorithm()}}; }

  protected:
    /// Bytes of a rank's message; 0 where there is none.
    [[nodiscard]] virtual int bytes() const = 0;
    [[nodiscard]] virtual std::string algorithm() const { return algorithm_of(name_); }
    [[nodiscard]] const World& world() const { return world_; }

  private:
    std::string name_;
    const World& world_;
};

} // namespace goodsyard
