// MPI as the sorts use it: calls that are checked, in words of 64 bits, and counted by phase.
//
// A message from one rank to another counts as one, and so does each non-empty part of an all-to-all. How a
// library does a collective operation is its own affair: it counts as one message of what the rank puts in.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

#include "harness/phases.hpp"
#include "mpi/check.hpp"
#include "sorting/item.hpp"

namespace goodsyard::sorting {

class Traffic {
  public:
    Traffic(MPI_Comm comm, Phases& phases) : comm_(comm), phases_(phases) {
        check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
    }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] MPI_Comm comm() const { return comm_; }

    /// The element-wise sums over all ranks, in place.
    void sum(std::size_t phase, std::span<std::uint64_t> values) const {
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count(values.size()), MPI_UINT64_T, MPI_SUM, comm_),
              "MPI_Allreduce");
        counted(phase, 1, values.size());
    }
    /// The element-wise sums over all ranks before this one, as the library makes them.
    [[nodiscard]] std::vector<std::uint64_t> exscan(std::size_t phase,
                                                    const std::vector<std::uint64_t>& values) const {
        std::vector<std::uint64_t> before(values.size());
        check(MPI_Exscan(values.data(), before.data(), count(values.size()), MPI_UINT64_T, MPI_SUM, comm_),
              "MPI_Exscan");
        if (rank_ == 0) {
            before.assign(values.size(), 0); // MPI leaves it undefined there.
        }
        counted(phase, 1, values.size());
        return before;
    }
    template <class T>
    void broadcast(std::size_t phase, std::span<T> values, int root) const {
        check(MPI_Bcast(values.data(), words<T>(values.size()), MPI_UINT64_T, root, comm_), "MPI_Bcast");
        counted(phase, rank_ == root ? 1 : 0, values.size() * sizeof(T) / 8);
    }
    /// Every rank's values, by rank; equally many of each. Empty but on rank 0.
    template <class T>
    [[nodiscard]] std::vector<T> gather(std::size_t phase, const std::vector<T>& local) const {
        std::vector<T> all(rank_ == 0 ? local.size() * static_cast<std::size_t>(size_) : 0);
        const int each = words<T>(local.size());
        check(MPI_Gather(local.data(), each, MPI_UINT64_T, all.data(), each, MPI_UINT64_T, 0, comm_),
              "MPI_Gather");
        counted(phase, 1, local.size() * sizeof(T) / 8);
        return all;
    }
    /// Every rank's values, by rank, on all ranks; equally many of each.
    template <class T>
    [[nodiscard]] std::vector<T> allgather(std::size_t phase, const std::vector<T>& local) const {
        std::vector<T> all(local.size() * static_cast<std::size_t>(size_));
        const int each = words<T>(local.size());
        check(MPI_Allgather(local.data(), each, MPI_UINT64_T, all.data(), each, MPI_UINT64_T, comm_),
              "MPI_Allgather");
        counted(phase, 1, local.size() * sizeof(T) / 8);
        return all;
    }
    /// The same where ranks have a few values each, not equally many: they are padded, since irregular
    /// gathers take p messages of every rank.
    [[nodiscard]] std::vector<Key> allgather_any(std::size_t phase, const std::vector<Key>& local) const;
    /// Entry r goes to rank r; what is returned has come from rank r at entry r.
    template <class T>
    [[nodiscard]] std::vector<T> alltoall(std::size_t phase, const std::vector<T>& local) const {
        std::vector<T> all(local.size());
        const int each = words<T>(1);
        check(MPI_Alltoall(local.data(), each, MPI_UINT64_T, all.data(), each, MPI_UINT64_T, comm_),
              "MPI_Alltoall");
        counted(phase, static_cast<std::uint64_t>(size_ - 1), (local.size() - 1) * sizeof(T) / 8);
        return all;
    }
    /// Tell every rank r that it gets cuts[r + 1] - cuts[r] items from here. Returns where the items of each
    /// rank will begin here, and the end.
    [[nodiscard]] std::vector<std::uint64_t> announce(std::size_t phase,
                                                      const std::vector<std::uint64_t>& cuts) const;
    /// Items from cuts[r] to cuts[r + 1] go to rank r; those of rank r come to to[runs[r]], as announced.
    template <class Item>
    void alltoallv(std::size_t phase, const Item* items, const std::vector<std::uint64_t>& cuts, Item* to,
                   const std::vector<std::uint64_t>& runs) const;

    void counted(std::size_t phase, std::uint64_t messages, std::uint64_t sent_words) const {
        phases_.count_messages(phase, messages, 8 * sent_words);
    }

    /// A count of elements as MPI takes it. Raises std::runtime_error where it does not fit.
    static int count(std::size_t elements);
    template <class T>
    static int words(std::size_t elements) {
        static_assert(sizeof(T) % 8 == 0);
        return count(elements * (sizeof(T) / 8));
    }

  private:
    MPI_Comm comm_;
    Phases& phases_;
    int rank_ = 0;
    int size_ = 1;
};

template <class Item>
void Traffic::alltoallv(std::size_t phase, const Item* items, const std::vector<std::uint64_t>& cuts,
                        Item* to, const std::vector<std::uint64_t>& runs) const {
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<int> sent(ranks);
    std::vector<int> from(ranks);
    std::vector<int> received(ranks);
    std::vector<int> at(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
        const std::uint64_t outgoing = cuts[r + 1] - cuts[r];
        sent[r] = words<Item>(outgoing);
        from[r] = words<Item>(cuts[r]);
        received[r] = words<Item>(runs[r + 1] - runs[r]);
        at[r] = words<Item>(runs[r]);
        if (static_cast<int>(r) != rank_ && outgoing > 0) {
            counted(phase, 1, outgoing * words_of<Item>);
        }
    }
    check(MPI_Alltoallv(items, sent.data(), from.data(), MPI_UINT64_T, to, received.data(), at.data(),
                        MPI_UINT64_T, comm_),
          "MPI_Alltoallv");
}

} // namespace goodsyard::sorting
