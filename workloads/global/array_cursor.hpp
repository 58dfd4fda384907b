// Pointer arithmetic over an array of all ranks: a place among its elements, whichever ranks they are on.
#pragma once

#include <compare>
#include <cstdint>

#include "global/global_array.hpp"

namespace goodsyard::global {

/// As a random-access iterator; `*cursor` is a global pointer. Holds the array of its own rank: to be sent,
/// it is its `index()`.
template <class T>
class ArrayCursor {
  public:
    ArrayCursor(const GlobalArray<T>& array, std::uint64_t index) : array_(&array), index_(index) {}

    [[nodiscard]] std::uint64_t index() const { return index_; }
    [[nodiscard]] GlobalPtr<T> operator*() const { return (*array_)[index_]; }
    [[nodiscard]] GlobalPtr<T> operator[](std::int64_t n) const { return *(*this + n); }

    ArrayCursor& operator+=(std::int64_t n) {
        index_ += static_cast<std::uint64_t>(n);
        return *this;
    }
    ArrayCursor& operator-=(std::int64_t n) { return *this += -n; }
    ArrayCursor& operator++() { return *this += 1; }
    ArrayCursor& operator--() { return *this -= 1; }
    [[nodiscard]] friend ArrayCursor operator+(ArrayCursor cursor, std::int64_t n) { return cursor += n; }
    [[nodiscard]] friend ArrayCursor operator+(std::int64_t n, ArrayCursor cursor) { return cursor += n; }
    [[nodiscard]] friend ArrayCursor operator-(ArrayCursor cursor, std::int64_t n) { return cursor -= n; }
    [[nodiscard]] friend std::int64_t operator-(const ArrayCursor& last, const ArrayCursor& first) {
        return static_cast<std::int64_t>(last.index_ - first.index_);
    }
    /// Of cursors over one array.
    [[nodiscard]] friend bool operator==(const ArrayCursor& left, const ArrayCursor& right) {
        return left.index_ == right.index_;
    }
    [[nodiscard]] friend std::strong_ordering operator<=>(const ArrayCursor& left, const ArrayCursor& right) {
        return left.index_ <=> right.index_;
    }

  private:
    const GlobalArray<T>* array_;
    std::uint64_t index_;
};

template <class T>
[[nodiscard]] ArrayCursor<T> begin_of(const GlobalArray<T>& array) {
    return {array, 0};
}
template <class T>
[[nodiscard]] ArrayCursor<T> end_of(const GlobalArray<T>& array) {
    return {array, array.size()};
}

} // namespace goodsyard::global
