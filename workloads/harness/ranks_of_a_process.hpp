// Ranks that share one process: what is collective is done by leaving a pointer where all look for it. How
// they wait for each other is theirs: threads in tests, turns in a simulated network.
#pragma once

#include <cstring>
#include <vector>

#include "harness/team.hpp"

namespace goodsyard {

/// What each rank leaves for the others.
using Places = std::vector<const void*>;

/// All but `barrier`.
class RankOfProcess : public Team {
  public:
    RankOfProcess(Places& places, int rank) : places_(places), rank_(rank) {}
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return static_cast<int>(places_.size()); }
    void broadcast_bytes(void* data, std::size_t bytes, int root) const override {
        meet(data, [&] {
            if (rank_ != root && bytes > 0) {
                std::memcpy(data, places_[static_cast<std::size_t>(root)], bytes);
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
            for (std::size_t rank = 0; is_root() && rank < places_.size(); ++rank) {
                std::memcpy(static_cast<char*>(all) + rank * bytes_of_one, places_[rank], bytes_of_one);
            }
        });
    }

  private:
    template <class Read>
    void meet(const void* own, Read read) const {
        places_[static_cast<std::size_t>(rank_)] = own;
        barrier();
        read();
        barrier();
    }
    template <class T>
    void fold_as(Fold fold, void* folded, std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            T value = static_cast<const T*>(places_[0])[i];
            for (std::size_t rank = 1; rank < places_.size(); ++rank) {
                const T next = static_cast<const T*>(places_[rank])[i];
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

    Places& places_;
    int rank_;
};

} // namespace goodsyard
