// Messages by MPI's point-to-point operations: receives posted in advance, and a bounded number of sends.
#pragma once

#include <memory>
#include <vector>

#include "mpi/handles.hpp"
#include "runtime/parameters.hpp"
#include "runtime/queue.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {

/// Destroyed on all ranks together, when all messages have arrived.
///
/// Ranks that wait in MPI (`Idle::wait`) never look: a rank learns what has arrived or been sent where it has
/// no room, or nothing else to do. On a simulated machine every look takes time, and SimGrid 3.32 keeps for
/// ever what MPI_Test or MPI_Testany has found, in a list that it searches at the end of every operation.
class PointToPoint final : public Transport {
  public:
    /// `ranks_of_node` consecutive ranks are a node.
    PointToPoint(MPI_Comm world, const Parameters& parameters, int ranks_of_node,
                 std::shared_ptr<BufferPool> pool);
    ~PointToPoint() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    [[nodiscard]] int ranks_of_node() const override { return ranks_of_node_; }
    [[nodiscard]] bool send(Buffer& buffer) override;
    [[nodiscard]] bool receive(Buffer& buffer) override;
    void idle() override;
    [[nodiscard]] double now_s() const override { return MPI_Wtime(); }

  private:
    /// Whether `next_send_` is one that is not on its way.
    [[nodiscard]] bool find_free_send();
    [[nodiscard]] bool test(std::size_t request, MPI_Status* status);
    void post_receive(std::size_t place);
    void take_arrived(std::size_t place, const MPI_Status& status);
    void poll();

    OwnedComm comm_;
    int rank_ = 0;
    int size_ = 1;
    int ranks_of_node_;
    Idle idle_;
    std::size_t receives_;
    std::size_t sends_;
    /// Of receives and then of sends: what a rank may wait for, in one piece.
    std::vector<MPI_Request> requests_;
    std::vector<Buffer> buffers_; ///< Theirs.
    std::size_t oldest_receive_ = 0;
    std::size_t next_send_ = 0;
    Queue<Buffer> arrived_;
};

} // namespace goodsyard::runtime
