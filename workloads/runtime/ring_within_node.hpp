// Messages through shared memory inside a node and by MPI between nodes.
#pragma once

#include <memory>
#include <vector>

#include "runtime/point_to_point.hpp"
#include "runtime/shared_ring.hpp"

namespace goodsyard::runtime {

/// Destroyed on all ranks together, when all messages have arrived.
class RingWithinNode final : public Transport {
  public:
    /// `node` has the ranks of this one's node; where items go by nodes, each has `ranks_of_node`.
    RingWithinNode(MPI_Comm world, OwnedComm node, const Parameters& parameters, int ranks_of_node);

    [[nodiscard]] int rank() const override { return between_.rank(); }
    [[nodiscard]] int size() const override { return between_.size(); }
    [[nodiscard]] int ranks_of_node() const override { return between_.ranks_of_node(); }
    [[nodiscard]] NodeNumbers numbers_of_node() override { return within_.numbers_of_node(); }
    [[nodiscard]] bool send(Buffer& buffer) override;
    [[nodiscard]] bool receive(Buffer& buffer) override;
    void idle() override { between_.idle(); }
    [[nodiscard]] double now_s() const override { return between_.now_s(); }

  private:
    static constexpr int elsewhere = -1;

    [[nodiscard]] bool receive_within(Buffer& buffer);

    std::vector<int> ranks_of_world_;    ///< Of the node's ranks.
    std::vector<int> ranks_of_own_node_; ///< Of the world's ranks; `elsewhere` on other nodes.
    SharedRing within_;
    PointToPoint between_;
    bool begins_within_ = true; ///< The next look, so that neither way waits for the other to be empty.
};

} // namespace goodsyard::runtime
