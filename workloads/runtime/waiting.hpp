// The tasks that wait for one thing, in the order in which they began to: a list that lies in their own
// frames, so that waiting allocates nothing.
#pragma once

#include <coroutine>
#include <string>

#include "runtime/tasks.hpp"

namespace goodsyard::runtime {

/// Outlives the tasks that wait.
class Waiting {
  public:
    /// `what` is a text that outlives this: what a task that waits for ever is said to wait for.
    Waiting(Tasks& tasks, const char* subject) : tasks_(tasks), what_(subject) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    [[nodiscard]] bool any() const { return first_ != nullptr; }
    [[nodiscard]] const char* subject() const { return what_; }
    /// `Tasks::refuse_end` of what tasks wait for; `text` goes on behind its name.
    void refuse_end(const std::string& text) const { Tasks::refuse_end(tasks_, what_ + text); }

    /// Let the fibre that calls this wait until it is released. Raises std::logic_error where the caller is
    /// not a fibre.
    void wait() {
        tasks_.check_can_wait();
        Waiter waiter;
        append(waiter);
        tasks_.suspend(waiter.task, what_);
    }

    void release_all() {
        while (any()) {
            Waiter& waiter = *first_;
            first_ = waiter.next;
            tasks_.make_ready(waiter.task);
        }
    }

    /// The next in the list is that of another frame.
    struct Waiter {
        Tasks::Suspended task;
        Waiter* next = nullptr;
    };
    /// A coroutine begins to wait; `waiter` lies in its frame.
    void append(Waiter& waiter, Task::Handle handle) {
        waiter.task = tasks_.suspended(handle, what_);
        append(waiter);
    }

  private:
    void append(Waiter& waiter) {
        (any() ? last_->next : first_) = &waiter;
        last_ = &waiter;
    }

    Tasks& tasks_;
    const char* what_;
    Waiter* first_ = nullptr;
    Waiter* last_ = nullptr; ///< Valid while there is a first.
};

/// What `co_await` gives a coroutine that is to wait until it is released, unless it need not.
class Awaiter {
  public:
    Awaiter(Waiting& waiting, bool is_ready) : waiting_(waiting), is_ready_(is_ready) {}
    [[nodiscard]] bool await_ready() const noexcept { return is_ready_; }
    void await_suspend(Task::Handle handle) { waiting_.append(waiter_, handle); }
    void await_resume() const noexcept {}

  private:
    Waiting& waiting_;
    bool is_ready_;
    Waiting::Waiter waiter_;
};

} // namespace goodsyard::runtime
