// Waiting until all of a changing number of activities have ended; events nest.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "runtime/waiting.hpp"

namespace goodsyard::runtime {

/// Complete while nothing is enrolled. Unlike a latch, further activities may be enrolled while others run,
/// by those too, and an event may be used again. An event with a parent counts there as one activity while it
/// is not complete.
class CompletionEvent {
  public:
    explicit CompletionEvent(Tasks& tasks, CompletionEvent* parent = nullptr,
                             const char* name = "a completion event")
        : waiting_(tasks, name), parent_(parent) {}
    CompletionEvent(const CompletionEvent&) = delete;
    CompletionEvent& operator=(const CompletionEvent&) = delete;
    /// Ends the program where activities are enrolled, which would complete what is no longer there.
    ~CompletionEvent() {
        if (count_ > 0) [[unlikely]] {
            waiting_.refuse_end(" ends while " + std::to_string(count_) +
                                " activities are enrolled: wait() for it before its end, or keep it until "
                                "the epoch has ended");
        }
    }

    /// `count` activities have begun, or are about to.
    void enroll(std::uint64_t count = 1) {
        if (count_ == 0 && count > 0 && parent_ != nullptr) {
            parent_->enroll();
        }
        count_ += count;
    }
    /// As many have ended. Raises std::logic_error where fewer were enrolled.
    void complete(std::uint64_t count = 1) {
        if (count > count_) [[unlikely]] {
            throw std::logic_error(std::string(waiting_.subject()) + " completes more than was enrolled");
        }
        count_ -= count;
        if (count_ > 0 || count == 0) {
            return;
        }
        waiting_.release_all();
        if (parent_ != nullptr) {
            parent_->complete();
        }
    }

    [[nodiscard]] bool is_complete() const { return count_ == 0; }
    /// Wait, as a fibre, until it is complete. Raises std::logic_error where something that is not a task
    /// would have to wait.
    void wait() {
        while (!is_complete()) {
            waiting_.wait();
        }
    }
    /// A coroutine goes on once it has been complete.
    [[nodiscard]] Awaiter operator co_await() { return {waiting_, is_complete()}; }

  private:
    Waiting waiting_;
    CompletionEvent* parent_;
    std::uint64_t count_ = 0;
};

} // namespace goodsyard::runtime
