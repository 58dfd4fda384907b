// Many elements of another rank at once: get and put, and a copy of a range of an array that is given back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "global/global_array.hpp"
#include "global/messages.hpp"
#include "runtime/control_objects.hpp"

namespace goodsyard::global {

/// Called by fibres, which wait while others go on; raise std::logic_error elsewhere. Each run of elements
/// that lie behind each other on a rank is one message there and one back, of any length. Elements of one
/// call are read, or written, at different times; those of a run together.
class Bulk {
  public:
    /// `messages` outlives this.
    explicit Bulk(Messages& messages) : messages_(messages) {}

    /// Copy the elements from `first` on into `to`.
    template <class T>
    void get(std::type_identity_t<GlobalPtr<const T>> first, std::span<T> to) {
        if (to.empty()) {
            return;
        }
        runtime::Latch done(tasks(), 1, "elements that it gets");
        request<T>(first, to, done);
        done.wait();
    }
    template <class T>
    void get(const GlobalArray<T>& array, std::uint64_t first, std::type_identity_t<std::span<T>> to) {
        runtime::Latch done(tasks(), runs(array.distribution(), first, to.size()), "elements that it gets");
        for_runs(array.distribution(), first, to.size(), [&](std::uint64_t at, std::uint64_t count) {
            request<T>(array[first + at], to.subspan(at, count), done);
        });
        done.wait();
    }

    /// Copy `from` to the elements from `first` on; they have been written when this returns.
    template <class T>
    void put(std::type_identity_t<std::span<const T>> from, GlobalPtr<T> first) {
        if (from.empty()) {
            return;
        }
        runtime::Latch done(tasks(), 1, "elements that it puts");
        write<T>(from, first, done);
        done.wait();
    }
    template <class T>
    void put(std::type_identity_t<std::span<const T>> from, const GlobalArray<T>& array,
             std::uint64_t first) {
        runtime::Latch done(tasks(), runs(array.distribution(), first, from.size()), "elements that it puts");
        for_runs(array.distribution(), first, from.size(), [&](std::uint64_t at, std::uint64_t count) {
            write<T>(from.subspan(at, count), array[first + at], done);
        });
        done.wait();
    }

  private:
    using Latch = runtime::Latch;

    runtime::Tasks& tasks() {
        messages_.runtime().tasks().check_can_wait();
        return messages_.runtime().tasks();
    }

    /// `visit(at, count)` for the parts of a range of indices that lie in one block each.
    template <class Visit>
    static void for_runs(const Distribution& distribution, std::uint64_t first, std::uint64_t count,
                         Visit visit) {
        for (std::uint64_t at = 0; at < count;) {
            const std::uint64_t remaining = distribution.block() - (first + at) % distribution.block();
            const std::uint64_t run = std::min(remaining, count - at);
            visit(at, run);
            at += run;
        }
    }
    static std::uint64_t runs(const Distribution& distribution, std::uint64_t first, std::uint64_t count) {
        std::uint64_t all = 0;
        for_runs(distribution, first, count, [&](std::uint64_t, std::uint64_t) { all++; });
        return all;
    }

    template <class T>
    void request(GlobalPtr<const T> first, std::span<T> to, Latch& done) {
        static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
        messages_.async(
            first,
            [](Messages& self, int asker, const T& local, std::uint64_t count, T* place, Latch* latch) {
                self.async(
                    GlobalPtr<T>{asker, place},
                    [](T& begin, std::span<const std::byte> bytes, Latch* waiting) {
                        copy(&begin, bytes);
                        waiting->count_down();
                    },
                    std::as_bytes(std::span(&local, count)), latch);
            },
            static_cast<std::uint64_t>(to.size()), to.data(), &done);
    }
    template <class T>
    void write(std::span<const T> from, GlobalPtr<T> first, Latch& done) {
        static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
        messages_.async(
            first,
            [](Messages& self, int asker, T& local, std::span<const std::byte> bytes, Latch* latch) {
                copy(&local, bytes);
                self.async(GlobalPtr<Latch>{asker, latch}, [](Latch& waiting) { waiting.count_down(); });
            },
            std::as_bytes(from), &done);
    }
    static void copy(void* to, std::span<const std::byte> bytes) {
        if (!bytes.empty()) {
            std::memcpy(to, bytes.data(), bytes.size());
        }
    }

    Messages& messages_;
};

enum class Access : int {
    read,       ///< Fetched, and dropped in the end.
    read_write, ///< Fetched, and written back.
    write,      ///< Zero at first, and written back: all of its elements are to be set.
};

/// A copy of a range of an array on this rank, as Grappa's caches are: nobody else's changes are seen in it,
/// and nobody sees its own before it is released. To be made and released by fibres; `release` may be called
/// once, or the destructor drops the copy.
template <class T>
class Borrowed {
  public:
    Borrowed(Bulk& bulk, GlobalArray<T>& array, std::uint64_t first, std::uint64_t count, Access access)
        : bulk_(bulk), array_(array), first_(first), access_(access), own_(count) {
        if (access != Access::write) {
            bulk_.get(array_, first_, own_);
        }
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    [[nodiscard]] std::span<T> elements() { return own_; }
    [[nodiscard]] T& operator[](std::uint64_t i) { return own_[i]; }

    /// Write it back unless it is to be read alone, and free its memory; wait until all has been written.
    void release() {
        if (access_ != Access::read) {
            bulk_.put(own_, array_, first_);
        }
        own_ = {};
    }

  private:
    Bulk& bulk_;
    GlobalArray<T>& array_;
    std::uint64_t first_;
    Access access_;
    std::vector<T> own_;
};

} // namespace goodsyard::global
