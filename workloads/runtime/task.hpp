// A task with a frame in place of a stack: a coroutine that a handler is, or is wrapped in.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace goodsyard::runtime {

/// Frames of coroutines, used again. All ranks of a simulation live in one thread and may share them.
class FramePool {
  public:
    FramePool() = default;
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;
    ~FramePool() {
        for (const auto& frames : free_) {
            for (void* frame : frames) {
                ::operator delete(frame);
            }
        }
    }
    void* take(std::size_t bytes) {
        const std::size_t kind = kind_of(bytes);
        if (kind >= kinds || free_[kind].empty()) {
            return ::operator new(kind < kinds ? (kind + 1) * step_bytes : bytes);
        }
        void* frame = free_[kind].back();
        free_[kind].pop_back();
        return frame;
    }
    void give_back(void* frame, std::size_t bytes) {
        const std::size_t kind = kind_of(bytes);
        if (kind >= kinds) {
            ::operator delete(frame);
        } else {
            free_[kind].push_back(frame);
        }
    }

  private:
    static constexpr std::size_t step_bytes = 64;
    static constexpr std::size_t kinds = 16;
    static std::size_t kind_of(std::size_t bytes) { return (bytes - 1) / step_bytes; }

    std::array<std::vector<void*>, kinds> free_;
};

inline thread_local FramePool frame_pool;

/// A place in a circle of coroutines.
struct TaskLink {
    TaskLink* before = this;
    TaskLink* next = this;

    TaskLink() = default;
    TaskLink(const TaskLink&) = delete;
    TaskLink& operator=(const TaskLink&) = delete;
    void link_behind(TaskLink& second) {
        before = &second;
        next = second.next;
        next->before = this;
        second.next = this;
    }
    void unlink() {
        before->next = next;
        next->before = before;
    }
};

/// What a coroutine returns that is to be run by `Tasks`. Its parameters are values, and trivially copyable:
/// GCC 12 destroys temporaries of an expression with co_await twice.
class Task {
  public:
    struct promise_type : TaskLink {
        std::exception_ptr error;
        const char* waits_for = nullptr;

        Task get_return_object() { return Task(Handle::from_promise(*this)); }
        static std::suspend_always initial_suspend() noexcept { return {}; }
        static std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { error = std::current_exception(); }
        static void* operator new(std::size_t bytes) { return frame_pool.take(bytes); }
        static void operator delete(void* frame, std::size_t bytes) { frame_pool.give_back(frame, bytes); }
    };
    using Handle = std::coroutine_handle<promise_type>;

    Task(Task&& second) noexcept : handle_(std::exchange(second.handle_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    /// Who runs it owns it.
    [[nodiscard]] Handle release() { return std::exchange(handle_, nullptr); }

  private:
    explicit Task(Handle handle) : handle_(handle) {}
    Handle handle_;
};

} // namespace goodsyard::runtime
