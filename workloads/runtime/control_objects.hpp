// What tasks of one rank wait for: futures, latches and reductions ("local control objects" of HPX-5).
//
// A fibre calls `wait()`, a coroutine says `co_await object`. A handler can set them, and cannot wait.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/waiting.hpp"

namespace goodsyard::runtime {

/// Set once; outlives the tasks that wait for it, and the answers that are on their way to it: the program
/// ends where it does not.
class ControlObject {
  public:
    /// `name` is what a task that waits for ever is said to wait for.
    ControlObject(Tasks& tasks, const char* name) : waiting_(tasks, name) {}
    ControlObject(const ControlObject&) = delete;
    ControlObject& operator=(const ControlObject&) = delete;
    ~ControlObject() {
        if (answers_ > 0) [[unlikely]] {
            waiting_.refuse_end(" ends before its answer has come: wait() for it before its end, or keep it "
                                "until the epoch has ended");
        }
    }

    [[nodiscard]] bool is_set() const { return is_set_; }

    /// Of a fibre. Raises std::logic_error where something that is not a task would have to wait.
    void wait() {
        if (!is_set_) {
            waiting_.wait();
        }
    }
    [[nodiscard]] Awaiter operator co_await() { return {waiting_, is_set_}; }

    /// Another rank has been asked for what this is set to, by the address of this.
    void expect_answer() { ++answers_; }
    /// It has answered; `Tasks::check_answer` comes before.
    void take_answer() { --answers_; }

  protected:
    void check_is_unset() const {
        if (is_set_) [[unlikely]] {
            throw std::logic_error(std::string(waiting_.subject()) +
                                   " is set once more, or counted too often");
        }
    }
    void set() {
        check_is_unset();
        is_set_ = true;
        waiting_.release_all();
    }

  private:
    Waiting waiting_;
    bool is_set_ = false;
    std::uint32_t answers_ = 0; ///< On their way.
};

/// What a future can be in place of having a value: an error, which `value` raises.
class Promised : public ControlObject {
  public:
    using ControlObject::ControlObject;
    void fail(std::exception_ptr error) {
        error_ = std::move(error);
        ControlObject::set();
    }

  protected:
    /// Raises what it failed by, and std::logic_error where it is not set.
    void check_value() const {
        if (!is_set()) [[unlikely]] {
            throw std::logic_error("a value is asked of a future that is not set: wait() for it");
        }
        if (error_) [[unlikely]] {
            std::rethrow_exception(error_);
        }
    }

  private:
    std::exception_ptr error_;
};

/// A value that will be there.
template <class T>
class Future : public Promised {
  public:
    explicit Future(Tasks& tasks, const char* name = "a future") : Promised(tasks, name) {}
    /// Once: raises std::logic_error where it has been set.
    void set(T value) {
        check_is_unset();
        value_ = std::move(value);
        ControlObject::set();
    }
    /// Once it is set. Raises what it failed by.
    [[nodiscard]] const T& value() const {
        check_value();
        return value_;
    }

  private:
    T value_{};
};

/// An event: a future without a value.
template <>
class Future<void> : public Promised {
  public:
    explicit Future(Tasks& tasks, const char* name = "a future") : Promised(tasks, name) {}
    using ControlObject::set;
    void value() const { check_value(); }
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
    /// As often as was expected: raises std::logic_error where it is open.
    void count_down() {
        check_is_unset();
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
    /// As often as was expected: raises std::logic_error where all have been given.
    void give(const T& value) {
        check_is_unset();
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
