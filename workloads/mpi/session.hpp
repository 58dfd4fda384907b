// MPI from the first line of a program to its last, and its ranks. Without mpi.h: what calls no MPI by itself
// is compiled once for all libraries, and takes what it calls by itself from mpi/check.hpp.
#pragma once

#include "harness/team.hpp"

namespace goodsyard {

/// Initialises MPI and finalises it. After an error of one rank alone the caller aborts: other ranks may
/// never come to the end.
class Session {
  public:
    Session(int& argc, char**& argv);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

/// The communicator of all ranks, with this rank's place in it. Errors are returned, and become exceptions.
class World final : public Team {
  public:
    explicit World(const Session& session);

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }

    void barrier() const override;
    void broadcast_bytes(void* data, std::size_t bytes, int root) const override;

    /// Ranks of this host, this one included. Collective.
    [[nodiscard]] int ranks_of_host() const;

    /// The least rank of this host. Collective.
    [[nodiscard]] int first_of_host() const;

    /// Whether the ranks of this host are more than its CPUs; never on a simulated machine. Collective.
    [[nodiscard]] bool is_oversubscribed() const;

  protected:
    void exchange_bytes(const std::vector<std::span<const std::byte>>& sent,
                        const Place& place) const override;
    void fold_to_all(Fold fold, Number kind, const void* own, void* folded, std::size_t count) const override;
    void fold_to_root(Fold fold, Number kind, const void* own, void* folded,
                      std::size_t count) const override;
    void gather_bytes(const void* own, void* all, std::size_t bytes_of_one) const override;

  private:
    int rank_ = 0;
    int size_ = 1;
};

/// A number of elements or bytes as MPI takes it. Raises std::length_error where that is too many for one
/// message.
int mpi_count(std::size_t count);

} // namespace goodsyard
