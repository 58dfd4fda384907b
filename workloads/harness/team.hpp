// The ranks of a program, as far as the harness needs them: one process alone here, all of MPI in
// mpi/session.hpp. Every member that communicates is collective.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace goodsyard {

enum class Fold : int { max, min, sum, exclusive_or };
enum class Number : int { i32, i64, u64, f64 };

template <class T>
inline constexpr Number number_kind = [] {
    if constexpr (std::is_same_v<T, int>) {
        return Number::i32;
    } else if constexpr (std::is_same_v<T, double>) {
        return Number::f64;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return Number::i64;
    } else {
        static_assert(std::is_same_v<T, std::uint64_t>);
        return Number::u64;
    }
}();

class Team {
  public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] bool is_root() const { return rank() == 0; }

    virtual void barrier() const = 0;

    /// `value` of rank `root` on every rank.
    template <class T>
    void broadcast(T& value, int root = 0) const {
        static_assert(std::is_trivially_copyable_v<T>);
        broadcast_bytes(&value, sizeof value, root);
    }
    void broadcast(std::string& text, int root = 0) const {
        auto size = static_cast<std::uint64_t>(text.size());
        broadcast(size, root);
        text.resize(size);
        broadcast_bytes(text.data(), text.size(), root);
    }
    virtual void broadcast_bytes(void* data, std::size_t bytes, int root) const = 0;

    /// The ranks' own values as one, on every rank.
    template <class T>
    [[nodiscard]] T all(Fold fold, T local) const {
        T folded = local;
        fold_to_all(fold, number_kind<T>, &local, &folded, 1);
        return folded;
    }

    /// The same for element after element; `folded` is written on the root only, and may be empty elsewhere.
    template <class T>
    void to_root(Fold fold, const std::vector<T>& local, std::vector<T>& folded) const {
        if (is_root()) {
            folded.resize(local.size());
        }
        fold_to_root(fold, number_kind<T>, local.data(), folded.data(), local.size());
    }
    template <class T>
    [[nodiscard]] T to_root(Fold fold, T local) const {
        T folded = local;
        fold_to_root(fold, number_kind<T>, &local, &folded, 1);
        return folded;
    }

    /// Every rank's values behind one another, by rank; empty on all ranks but the root. The ranks have
    /// equally many.
    template <class T>
    [[nodiscard]] std::vector<T> gathered(const std::vector<T>& local) const {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all(is_root() ? local.size() * static_cast<std::size_t>(size()) : 0);
        gather_bytes(static_cast<const void*>(local.data()), static_cast<void*>(all.data()),
                     local.size() * sizeof(T));
        return all;
    }

    /// What each rank has, by rank, on every rank.
    template <class T>
    [[nodiscard]] std::vector<T> of_each(T local) const {
        std::vector<T> all = gathered(std::vector<T>{local});
        all.resize(static_cast<std::size_t>(size()));
        broadcast_bytes(static_cast<void*>(all.data()), all.size() * sizeof(T), 0);
        return all;
    }

    /// `outgoing[r]` goes to rank r; returns what arrives, by the rank that it comes from.
    template <class T>
    [[nodiscard]] std::vector<std::vector<T>> exchanged(const std::vector<std::vector<T>>& outgoing) const {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<std::span<const std::byte>> sent;
        for (const std::vector<T>& items : outgoing) {
            sent.push_back(std::as_bytes(std::span(items)));
        }
        std::vector<std::vector<T>> arrived(outgoing.size());
        exchange_bytes(sent, [&](int from, std::size_t bytes) {
            arrived[static_cast<std::size_t>(from)].resize(bytes / sizeof(T));
            return static_cast<void*>(arrived[static_cast<std::size_t>(from)].data());
        });
        return arrived;
    }

  protected:
    /// Where so many bytes of a rank are to be written.
    using Place = std::function<void*(int from, std::size_t bytes)>;
    /// By broadcasts, pair after pair, unless a team knows better.
    virtual void exchange_bytes(const std::vector<std::span<const std::byte>>& sent,
                                const Place& place) const {
        std::vector<std::byte> bytes;
        for (int from = 0; from < size(); ++from) {
            for (int to = 0; to < size(); ++to) {
                const std::span<const std::byte> local = sent[static_cast<std::size_t>(to)];
                auto count = static_cast<std::uint64_t>(local.size());
                broadcast(count, from);
                bytes.resize(count);
                if (from == rank()) {
                    std::copy(local.begin(), local.end(), bytes.begin());
                }
                broadcast_bytes(bytes.data(), count, from);
                if (to == rank()) {
                    void* const arrived = place(from, count);
                    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(arrived));
                }
            }
        }
    }
    virtual void fold_to_all(Fold fold, Number kind, const void* own, void* folded,
                             std::size_t count) const = 0;
    virtual void fold_to_root(Fold fold, Number kind, const void* own, void* folded,
                              std::size_t count) const = 0;
    virtual void gather_bytes(const void* own, void* all, std::size_t bytes_of_one) const = 0;
};

/// One process.
class Alone final : public Team {
  public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void barrier() const override {}
    void broadcast_bytes(void* /*data*/, std::size_t /*bytes*/, int /*root*/) const override {}

  protected:
    void fold_to_all(Fold /*fold*/, Number kind, const void* own, void* folded,
                     std::size_t count) const override {
        copy(folded, own, count * (kind == Number::i32 ? sizeof(std::int32_t) : sizeof(std::int64_t)));
    }
    void fold_to_root(Fold fold, Number kind, const void* own, void* folded,
                      std::size_t count) const override {
        fold_to_all(fold, kind, own, folded, count);
    }
    void gather_bytes(const void* own, void* all, std::size_t bytes_of_one) const override {
        copy(all, own, bytes_of_one);
    }

  private:
    static void copy(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) {
            std::memmove(to, from, bytes);
        }
    }
};

} // namespace goodsyard
