// Ranks that are threads: what is collective can be tested without MPI, at any number of ranks, and with any
// of them failing.
#pragma once

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "harness/team.hpp"

namespace workloads {

/// Where the ranks meet: each leaves a pointer, all wait, each reads.
struct Meeting {
    explicit Meeting(int ranks) : pointers(static_cast<std::size_t>(ranks)), gate(ranks) {}
    std::vector<const void*> pointers;
    std::barrier<> gate;
};

class ThreadRank final : public Team {
  public:
    ThreadRank(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return static_cast<int>(meeting_.pointers.size()); }
    void barrier() const override { meeting_.gate.arrive_and_wait(); }
    void broadcast_bytes(void* data, std::size_t bytes, int root) const override {
        meet(data, [&] {
            if (rank_ != root && bytes > 0) {
                std::memcpy(data, meeting_.pointers[static_cast<std::size_t>(root)], bytes);
            }
        });
    }

  protected:
    void fold_to_all(Fold fold, Number kind, const void* own, void* folded,
                     std::size_t count) const override {
        std::vector<std::uint64_t> bits(count); // Of elements of any kind.
        meet(own, [&] {
            switch (kind) {
            case Number::i32:
                return fold_as<int>(fold, bits.data(), count);
            case Number::i64:
                return fold_as<std::int64_t>(fold, bits.data(), count);
            case Number::u64:
                return fold_as<std::uint64_t>(fold, bits.data(), count);
            case Number::f64:
                return fold_as<double>(fold, bits.data(), count);
            }
        });
        std::memcpy(folded, bits.data(), count * (kind == Number::i32 ? sizeof(int) : sizeof(double)));
    }
    void fold_to_root(Fold fold, Number kind, const void* own, void* folded,
                      std::size_t count) const override {
        std::vector<std::uint64_t> unread(count);
        fold_to_all(fold, kind, own, is_root() ? folded : unread.data(), count);
    }
    void gather_bytes(const void* own, void* all, std::size_t bytes_of_one) const override {
        meet(own, [&] {
            for (std::size_t rank = 0; is_root() && rank < meeting_.pointers.size(); rank++) {
                std::memcpy(static_cast<char*>(all) + rank * bytes_of_one, meeting_.pointers[rank],
                            bytes_of_one);
            }
        });
    }

  private:
    template <class Read>
    void meet(const void* own, Read read) const {
        meeting_.pointers[static_cast<std::size_t>(rank_)] = own;
        barrier();
        read();
        barrier();
    }
    template <class T>
    void fold_as(Fold fold, void* folded, std::size_t count) const {
        for (std::size_t i = 0; i < count; i++) {
            T value = static_cast<const T*>(meeting_.pointers[0])[i];
            for (std::size_t rank = 1; rank < meeting_.pointers.size(); rank++) {
                const T next = static_cast<const T*>(meeting_.pointers[rank])[i];
                switch (fold) {
                case Fold::max:
                    value = next > value ? next : value;
                    break;
                case Fold::min:
                    value = next < value ? next : value;
                    break;
                case Fold::sum:
                    value = static_cast<T>(value + next);
                    break;
                case Fold::exclusive_or:
                    if constexpr (std::is_integral_v<T>) {
                        value = static_cast<T>(value ^ next);
                    }
                    break;
                }
            }
            std::memcpy(static_cast<char*>(folded) + i * sizeof(T), &value, sizeof(T));
        }
    }

    Meeting& meeting_;
    int rank_;
};

/// Run `body` as so many ranks.
inline void as_ranks(int ranks, const std::function<void(const Team&)>& body) {
    Meeting meeting(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; rank++) {
        threads.emplace_back([&, rank] { body(ThreadRank(meeting, rank)); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace workloads
