// What tasks of one rank wait for: futures, latches and reductions ("local control objects" of HPX-5).
//
// A fibre calls `wait()`, a coroutine says `co_await object`. A handler can set them, and cannot wait.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "runtime/waiting.hpp"

namespace goodsyard::runtime {

/// Set once; outlives the tasks that wait for it.
class ControlObject {
  public:
    /// `name` is what a task that waits for ever is said to wait for.
    ControlObject(Tasks& tasks, const char* name) : waiting_(tasks, name) {}

    [[nodiscard]] bool is_set() const { return is_set_; }

    /// Of a fibre. Raises std::logic_error where something that is not a task would have to wait.
    void wait() {
        if (!is_set_) {
            waiting_.wait();
        }
    }
    [[nodiscard]] Awaiter operator co_await() { return {waiting_, is_set_}; }

  protected:
    void set() {
        is_set_ = true;
        waiting_.release_all();
    }

  private:
    Waiting waiting_;
    bool is_set_ = false;
};

/// A value that will be there.
template <class T>
class Future : public ControlObject {
  public:
    explicit Future(Tasks& tasks, const char* name = "a future") : ControlObject(tasks, name) {}
    void set(T value) {
        value_ = std::move(value);
        ControlObject::set();
    }
    /// Once it is set.
    [[nodiscard]] const T& value() const { return value_; }

  private:
    T value_{};
};

/// An event: a future without a value.
template <>
class Future<void> : public ControlObject {
  public:
    explicit Future(Tasks& tasks, const char* name = "a future") : ControlObject(tasks, name) {}
    using ControlObject::set;
    void value() const {}
};

/// Opens when it has been counted down to 0 (HPX-5's and-gate).
class Latch : public ControlObject {
  public:
    Latch(Tasks& tasks, std::uint64_t expected, const char* name = "a latch")
        : ControlObject(tasks, name), missing_(expected) {
        if (expected == 0) {
            set();
        }
    }
    void count_down() {
        if (--missing_ == 0) {
            set();
        }
    }

  private:
    std::uint64_t missing_;
};

/// So many values folded into one; there when the last has been given.
template <class T, class Fold = std::plus<T>>
class Reduction : public ControlObject {
  public:
    Reduction(Tasks& tasks, std::uint64_t expected, T first = {}, Fold fold = {},
              const char* name = "a reduction")
        : ControlObject(tasks, name), missing_(expected), value_(std::move(first)), fold_(std::move(fold)) {
        if (expected == 0) {
            set();
        }
    }
    void give(const T& value) {
        value_ = fold_(value_, value);
        if (--missing_ == 0) {
            set();
        }
    }
    [[nodiscard]] const T& value() const { return value_; }

  private:
    std::uint64_t missing_;
    T value_;
    Fold fold_;
};

} // namespace goodsyard::runtime
