// First in, first out (or last, where that is asked for), in one piece of memory that grows and stays.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace goodsyard::runtime {

template <class T>
class Queue {
  public:
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// The i-th to be popped.
    [[nodiscard]] T& operator[](std::size_t i) { return places_[(first_ + i) & (places_.size() - 1)]; }

    /// The one that was pushed last.
    [[nodiscard]] T& newest() { return (*this)[size_ - 1]; }

    void push(T value) {
        if (size_ == places_.size()) {
            grow();
        }
        (*this)[size_++] = std::move(value);
    }
    T pop() {
        T value = std::move(places_[first_]);
        first_ = (first_ + 1) & (places_.size() - 1);
        --size_;
        return value;
    }
    /// Last in, first out.
    T pop_newest() { return std::move((*this)[--size_]); }

  private:
    void grow() {
        std::vector<T> larger(places_.empty() ? 16 : 2 * places_.size());
        for (std::size_t i = 0; i < size_; ++i) {
            larger[i] = std::move((*this)[i]);
        }
        places_.swap(larger);
        first_ = 0;
    }

    std::vector<T> places_; ///< As many as a power of 2.
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace goodsyard::runtime
