#include "runtime/tasks.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#include "harness/ending.hpp"

namespace goodsyard::runtime {

namespace {

/// Tasks between the one that goes on and the one that is prefetched: with 100,000 active, none is in a
/// cache.
constexpr std::size_t ahead = 8;
constexpr std::size_t line_bytes = 64;

/// Boost.Context begins a stack at a multiple of so many bytes.
constexpr std::size_t top_bytes = 256;
static_assert(sizeof(Worker) <= top_bytes);

/// That there are.
std::vector<Tasks*>& tasks_of_thread() {
    static thread_local std::vector<Tasks*> all;
    return all;
}

Task::promise_type& promise_of(TaskLink& link) {
    return static_cast<Task::promise_type&>(link);
}

} // namespace

void Tasks::Suspended::prefetch() const {
    const auto* place = static_cast<const char*>(place_);
    __builtin_prefetch(place);
    if (worker_ != nullptr) {
        // The registers are 64 bytes, and above them is the frame that goes on.
        for (int line = 1; line <= frame_lines_; ++line) {
            __builtin_prefetch(place + static_cast<std::size_t>(line) * line_bytes);
        }
        __builtin_prefetch(worker_);
    }
}

Tasks::~Tasks() {
    std::erase(tasks_of_thread(), this); // With them ends what those that wait have on their stacks.
    for (Worker* worker : workers_) {
        worker->~Worker();
    }
    while (coroutines_.next != &coroutines_) {
        Task::promise_type& promise = promise_of(*coroutines_.next);
        promise.unlink();
        Task::Handle::from_promise(promise).destroy();
    }
}

void Tasks::make_worker() {
    Stack stack = stacks_.take();
    stack.bytes -= top_bytes;
    workers_.push_back(new (static_cast<std::byte*>(stack.bottom) + stack.bytes) Worker(stack, *this));
    idle_.push_back(workers_.back());
}

void Tasks::run(Task task) {
    const Task::Handle handle = task.release();
    handle.promise().link_behind(coroutines_);
    if (has_room()) {
        begin(handle);
    } else {
        coroutines_unbegun_.push_back(handle);
        counters_.most_unbegun = std::max(counters_.most_unbegun, unbegun());
    }
}

bool Tasks::run_ready() {
    const std::size_t count = ready_.size();
    counters_.longest_ready = std::max<std::uint64_t>(counters_.longest_ready, count);
    for (std::size_t i = 0; i < count; ++i) {
        if (ready_.size() > ahead) {
            ready_[ahead].prefetch();
        }
        const Suspended next = ready_.pop();
        if (next.worker_ != nullptr) {
            ++counters_.switches;
            ++activity_.switches;
            enter(*next.worker_);
        } else {
            ++counters_.resumptions;
            ++activity_.resumptions;
            enter(Task::Handle::from_address(next.place_));
        }
    }
    return count > 0;
}

bool Tasks::begin_some(std::size_t limit) {
    if (unbegun() == 0) {
        return false;
    }
    struct Newest {
        Backlog& backlog;
        [[nodiscard]] bool any() const { return !backlog.empty(); }
        void run() const { backlog.run_newest(); }
    } newest{backlog_};
    std::size_t begun = run_each(newest, limit);
    for (; begun < limit && has_room() && !coroutines_unbegun_.empty(); ++begun) {
        const Task::Handle handle = coroutines_unbegun_.back();
        coroutines_unbegun_.pop_back();
        begin(handle);
    }
    return begun > 0;
}

void Tasks::enter(Task::Handle handle) {
    // On a fibre, a coroutine is not a fibre: it waits by itself.
    Worker* outer = std::exchange(current_, nullptr);
    handle.resume();
    current_ = outer;
    if (handle.done()) {
        --active_;
        const std::exception_ptr error = handle.promise().error;
        handle.promise().unlink();
        handle.destroy();
        if (error) [[unlikely]] {
            std::rethrow_exception(error);
        }
    }
}

void Tasks::note_beginning() {
    tasks_of_thread().push_back(this);
}

void Tasks::refuse_end(const Tasks& tasks, const std::string& text) {
    const std::vector<Tasks*>& all = tasks_of_thread();
    const auto place = std::find(all.begin(), all.end(), &tasks);
    if (place == all.end()) {
        return;
    }
    if (std::uncaught_exceptions() == 0) {
        end_program((*place)->rank_, text);
    }
    (*place)->unwound_ = text;
}

void Tasks::end_by_answer() const {
    end_program(rank_, unwound_ + " (an exception has ended it, and was caught)");
}

std::string Tasks::blocked() const {
    std::string reported;
    const auto waits = [&reported](const std::string& task, const char* subject) {
        if (reported.empty()) {
            reported = task + " waits for " + subject;
        }
    };
    for (const Worker* worker : workers_) {
        if (worker->task != 0) {
            waits("task " + std::to_string(worker->task), worker->waits_for);
        }
    }
    for (TaskLink* link = coroutines_.next; link != &coroutines_; link = link->next) {
        if (const char* subject = promise_of(*link).waits_for; subject != nullptr) {
            waits("a coroutine", subject);
        }
    }
    if (unbegun() > 0) {
        reported +=
            "; tasks that were not begun, since --active-tasks are active: " + std::to_string(unbegun());
    }
    return reported;
}

} // namespace goodsyard::runtime
