// MPI from the first line of a program to its last, and its ranks. Without mpi.h: what calls no MPI by itself
// is compiled once for all libraries, and takes what it calls by itself from mpi/check.hpp.
#pragma once

#include <memory>

#include "harness/team.hpp"

namespace goodsyard {

/// A communicator of MPI (mpi/check.hpp), which converts to one.
struct Communicator;

/// Initialises MPI and finalises it. After an error of one rank alone the caller aborts: other ranks may
/// never come to the end.
class Session {
  public:
    Session(int& argc, char**& argv);
    /// Where the program has initialised MPI itself, at any level of threads, and finalises it when this has
    /// ended. Misuse, and `exit()` of one rank while this is there, end all its ranks. Raises
    /// std::logic_error where MPI is not up, or the thread must not call it.
    [[nodiscard]] static Session attach();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] bool is_attached() const { return is_attached_; }

  private:
    Session();
    bool is_attached_ = false;
};

/// Ranks of a communicator, with this rank's place among them. Errors are returned, and become exceptions.
class World final : public Team {
  public:
    /// All ranks. Collective where the session is attached.
    explicit World(const Session& session);
    /// The ranks of a communicator, by one of its own: its messages are not on `comm`, whose error handler
    /// stays. Ends before the session, on all its ranks together. Collective over `comm`. Raises
    /// std::invalid_argument where it has no ranks, or two groups of them.
    World(const Session& session, const Communicator& comm);

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    /// For calls of MPI.
    [[nodiscard]] const Communicator& communicator() const { return *communicator_; }

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
    std::shared_ptr<const Communicator> communicator_; ///< In virtual time there is none.
    int rank_ = 0;
    int size_ = 1;
};

/// A number of elements or bytes as MPI takes it. Raises std::length_error where that is too many for one
/// message.
int mpi_count(std::size_t count);

} // namespace goodsyard
