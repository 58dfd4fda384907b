// Messages through memory that the ranks of a node share: a ring of slots for each pair of ranks, written by
// one and read by the other.
//
// L. Lamport: Proving the correctness of multiprocess programs, IEEE TSE 3(2), 1977, DOI
// 10.1109/TSE.1977.229904: one writer and one reader need no lock.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "mpi/handles.hpp"
#include "runtime/parameters.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {

/// Destroyed on all ranks together, when all messages have arrived.
class SharedRing final : public Transport {
  public:
    /// Between the ranks of `node`, which share memory; their ranks are those that messages name.
    SharedRing(OwnedComm node, const Parameters& parameters, std::shared_ptr<BufferPool> pool);

    /// Of the window: the number of one of so many ranks, and the rings that it reads.
    [[nodiscard]] static std::size_t bytes_of_rank(int ranks, const Parameters& parameters);

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    [[nodiscard]] NodeNumbers numbers_of_node() override { return numbers_; }
    [[nodiscard]] bool send(Buffer& buffer) override;
    [[nodiscard]] bool receive(Buffer& buffer) override;
    void idle() override;
    [[nodiscard]] double now_s() const override { return MPI_Wtime(); }

  private:
    /// Counts messages since the beginning; each on a cache line of its own, which one rank writes.
    struct alignas(64) Count {
        std::atomic<std::uint64_t> value;
    };
    struct Ring {
        Count written;
        Count read;
    };
    struct Head {
        std::uint32_t size;
        std::int32_t channel;
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

    /// The other end of a ring, as this rank last saw it; asked again when it says full or empty.
    struct End {
        Ring* ring = nullptr;
        std::byte* slots = nullptr;
        std::uint64_t own = 0;
        std::uint64_t other = 0;
    };

    [[nodiscard]] static std::size_t slot_bytes(const Parameters& parameters);
    [[nodiscard]] std::byte* slot(const End& end) const { return end.slots + end.own % slots_ * slot_bytes_; }

    OwnedComm comm_;
    int rank_ = 0;
    int size_ = 1;
    Idle idle_;
    std::uint64_t slots_;
    std::size_t slot_bytes_;
    OwnedWindow window_;
    NodeNumbers numbers_;
    std::vector<End> out_; ///< To each rank.
    std::vector<End> in_;  ///< From each rank.
    std::size_t next_in_ = 0;
};

} // namespace goodsyard::runtime
