// Collective operations on a range of ranks, by trees of messages: no communicator has to be made for it.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <vector>

#include "mpi/check.hpp"
#include "sorting/middle.hpp"
#include "sorting/traffic.hpp"

namespace goodsyard::sorting {

/// Ranks first … last of a communicator; every member is called by all of them. Messages are counted in
/// `phase`.
class RankRange {
  public:
    RankRange(const Traffic& traffic, std::size_t phase, int first, int last)
        : traffic_(traffic), phase_(phase), first_(first), size_(last - first + 1),
          place_(traffic.rank() - first) {}

    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] int first() const { return first_; }

    /// The middle of all, at the first rank of the range; elsewhere what was passed on. A binomial tree.
    Middle reduce(Middle local, RandomBits& bits) const {
        for (int step = 1; step < size_; step *= 2) {
            if (place_ & step) {
                send(local, place_ - step);
                return local;
            }
            if (place_ + step < size_) {
                local = merged(local, receive<Middle>(place_ + step), bits);
            }
        }
        return local;
    }
    /// `value` of the rank at `root`, everywhere. A binomial tree.
    template <class T>
    void broadcast(T& value, int root) const {
        const int place = (place_ - root + size_) % size_;
        int step = 1;
        for (; step < size_; step *= 2) {
            if (place & step) {
                value = receive<T>((place - step + root) % size_);
                break;
            }
        }
        for (step /= 2; step > 0; step /= 2) {
            if (place + step < size_) {
                send(value, (place + step + root) % size_);
            }
        }
    }
    /// The element-wise sums over the ranks of the range before this one (Hillis, Steele 1986): doubling
    /// distances, log2 rounds.
    [[nodiscard]] std::vector<std::uint64_t> sum_before(const std::vector<std::uint64_t>& local) const {
        const int words = Traffic::count(local.size());
        std::vector<std::uint64_t> before(local.size());
        std::vector<std::uint64_t> up_to = local;
        std::vector<std::uint64_t> received(local.size());
        for (int step = 1; step < size_; step *= 2) {
            const int to = place_ + step < size_ ? first_ + place_ + step : MPI_PROC_NULL;
            const int from = place_ >= step ? first_ + place_ - step : MPI_PROC_NULL;
            check(MPI_Sendrecv(up_to.data(), words, MPI_UINT64_T, to, tag, received.data(), words,
                               MPI_UINT64_T, from, tag, traffic_.comm(), MPI_STATUS_IGNORE),
                  "MPI_Sendrecv");
            if (to != MPI_PROC_NULL) {
                traffic_.counted(phase_, 1, local.size());
            }
            if (from == MPI_PROC_NULL) {
                continue;
            }
            for (std::size_t i = 0; i < local.size(); ++i) {
                before[i] += received[i];
                up_to[i] += received[i];
            }
        }
        return before;
    }

  private:
    static constexpr int tag = 1;

    template <class T>
    void send(const T& value, int place) const {
        check(MPI_Send(&value, Traffic::words<T>(1), MPI_UINT64_T, first_ + place, tag, traffic_.comm()),
              "MPI_Send");
        traffic_.counted(phase_, 1, sizeof(T) / 8);
    }
    template <class T>
    [[nodiscard]] T receive(int place) const {
        T value;
        check(MPI_Recv(&value, Traffic::words<T>(1), MPI_UINT64_T, first_ + place, tag, traffic_.comm(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
        return value;
    }

    const Traffic& traffic_;
    std::size_t phase_;
    int first_;
    int size_;
    int place_;
};

} // namespace goodsyard::sorting
