// A cell that is full or empty, as every word of the Tera MTA and the Cray XMT was: reading waits until it is
// full, writing until it is empty.
//
// G. Alverson et al.: The Tera computer system, ICS 1990, DOI 10.1145/77726.255132.
#pragma once

#include <utility>

#include "runtime/waiting.hpp"

namespace goodsyard::runtime {

/// Empty at first.
///
/// A cell that becomes full releases the task that has waited longest to read, one that becomes empty the
/// task that has waited longest to write; a task that comes before it goes on is served first, and it then
/// waits once more, behind all others. A task that is released has to use the cell: that is what releases the
/// next.
///
/// Functions that may wait are called by fibres, and raise std::logic_error where anything else would have to
/// wait. A coroutine waits by itself, and then calls them: see `full`.
template <class T>
class FullEmpty {
  public:
    explicit FullEmpty(Tasks& tasks, const char* until_full = "a full cell",
                       const char* until_empty = "an empty cell")
        : until_full_(tasks, until_full), until_empty_(tasks, until_empty) {}

    [[nodiscard]] bool is_full() const { return is_full_; }

    /// Wait until it is full, and leave it so.
    [[nodiscard]] T read() {
        wait_until_full();
        const T value = value_;
        pass_on(); // All that wait to read may, until one empties it.
        return value;
    }
    /// Wait until it is full, and leave it empty.
    [[nodiscard]] T take() {
        wait_until_full();
        T value = std::move(value_);
        is_full_ = false;
        pass_on();
        return value;
    }
    /// Wait until it is empty, and fill it.
    void write(T value) {
        while (is_full_) {
            until_empty_.wait();
        }
        overwrite(std::move(value));
    }
    /// Fill it, whatever it was. Never waits.
    void overwrite(T value) {
        value_ = std::move(value);
        is_full_ = true;
        pass_on();
    }
    /// Empty it, whatever it was. Never waits.
    void reset() {
        is_full_ = false;
        pass_on();
    }

    /// In a coroutine: `while (!cell.is_full()) { co_await cell.full(); }`, then `read` or `take`, which need
    /// not wait; `empty` likewise before `write`.
    [[nodiscard]] Awaiter full() { return {until_full_, is_full_}; }
    [[nodiscard]] Awaiter empty() { return {until_empty_, !is_full_}; }

  private:
    void wait_until_full() {
        while (!is_full_) {
            until_full_.wait();
        }
    }
    /// Release the next task that the state allows to go on, which looks at it again.
    void pass_on() {
        Waiting& next = is_full_ ? until_full_ : until_empty_;
        if (next.any()) {
            next.release_first();
        }
    }

    T value_{};
    bool is_full_ = false;
    Waiting until_full_;
    Waiting until_empty_;
};

} // namespace goodsyard::runtime
