// The tasks of a rank: fibres and coroutines that are begun, wait, and go on; and those that are not begun.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backlog.hpp"
#include "runtime/counters.hpp"
#include "runtime/parameters.hpp"
#include "runtime/queue.hpp"
#include "runtime/task.hpp"
#include "runtime/worker.hpp"

namespace goodsyard::runtime {

class Tasks {
  public:
    /// A task that waits: who holds it makes it ready, once.
    class Suspended {
      public:
        Suspended() = default;

      private:
        friend class Tasks;
        Suspended(Worker& worker, int frame_lines) : worker_(&worker), frame_lines_(frame_lines) {}
        explicit Suspended(Task::Handle handle) : place_(handle.address()) {}
        void prefetch() const;
        Worker* worker_ = nullptr; ///< Of a fibre; none of a coroutine.
        /// Of a fibre, where its registers are kept, known once its stack has been left; of a coroutine, its
        /// frame.
        void* place_ = nullptr;
        int frame_lines_ = 0; ///< Above it that are used when it goes on.
    };

    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    /// At most `most_active` tasks (positive) are begun and not ended; further ones wait until others end.
    Tasks(std::size_t stack_bytes, Counters& counters, std::uint64_t most_active = unlimited,
          StackPages pages = StackPages::guarded, int rank = -1)
        : counters_(counters), rank_(rank), most_active_(most_active), stacks_(stack_bytes, pages, rank) {
        note_beginning();
    }
    /// As `parameters` have it; `rank` is named where tasks are misused.
    Tasks(const Parameters& parameters, Counters& counters, int rank = -1)
        : Tasks(static_cast<std::size_t>(parameters.stack_bytes), counters, parameters.active_tasks,
                parameters.stack_pages, rank) {}
    Tasks(const Tasks&) = delete;
    Tasks& operator=(const Tasks&) = delete;
    /// Tasks that wait are unwound.
    ~Tasks();

    /// Begin a task with a stack at once (work first), and return when it has ended or waits; where no
    /// further one may be active, as `spawn`. `body` is trivially copyable, and copied onto that stack.
    /// Raises what it raises before it waits. May be called from a task.
    template <class Body>
    void run_fibre(Body body) {
        if (!has_room()) {
            spawn(body);
            return;
        }
        Worker& worker = idle_worker();
        worker.body = &body;
        worker.run = [](Worker& self, void* place) {
            Body local = *static_cast<Body*>(place);
            const Active active(self);
            local();
        };
        ++activity_.stacks_entered;
        enter(worker);
    }
    /// Leave a task with a stack to be begun later: the newest first, behind those that are ready, when there
    /// is room. `body` is trivially copyable. May be called from a task.
    template <class Body>
    void spawn(const Body& body) {
        backlog_.push(body);
        counters_.most_unbegun = std::max(counters_.most_unbegun, unbegun());
    }
    /// Begin a coroutine at once, or when there is room.
    void run(Task task);

    /// Run tasks with stacks, without a switch between those that do not wait: while `next.any()`, which is
    /// asked on the caller's stack or on a fibre's, `next.run()` is a task, which does not use `next` once it
    /// has waited. At most `limit`, and while there is room. Returns how many were begun.
    template <class Next>
    std::size_t run_each(Next& next, std::size_t limit) {
        struct Series {
            Next& next;
            std::size_t limit;
            std::size_t begun;
        } series{next, limit, 0};
        while (series.begun < limit && has_room() && next.any()) {
            Worker& worker = idle_worker();
            worker.body = &series;
            worker.run = [](Worker& self, void* body) {
                auto& tasks = *static_cast<Series*>(body);
                do {
                    ++tasks.begun;
                    const Active active(self);
                    tasks.next.run();
                } while (!self.has_waited && tasks.begun < tasks.limit && tasks.next.any());
            };
            ++activity_.stacks_entered;
            enter(worker);
        }
        return series.begun;
    }

    /// Let every task that is ready go on, once. Returns whether there was any. Raises what one of them
    /// raises.
    bool run_ready();
    /// Begin tasks that were spawned, at most `limit`, and as long as there is room. Returns and raises the
    /// same.
    bool begin_some(std::size_t limit = std::numeric_limits<std::size_t>::max());

    /// What tasks have done that takes time by itself.
    struct Activity {
        std::uint64_t fibres_begun = 0;   ///< Whoever began them, at once or late.
        std::uint64_t stacks_entered = 0; ///< For the first of them that run one after the other.
        std::uint64_t coroutines_begun = 0;
        std::uint64_t switches = 0;    ///< To fibres that went on.
        std::uint64_t resumptions = 0; ///< Of coroutines.
    };
    /// Returns what they have done since this was last called.
    Activity take_activity() { return std::exchange(activity_, {}); }

    [[nodiscard]] bool on_fibre() const { return current_ != nullptr; }
    /// Raises std::logic_error where the caller is not a fibre, and so cannot wait.
    void check_can_wait() const {
        if (!on_fibre()) {
            throw std::logic_error(
                "only a task with a stack can wait: --execution fibre, or tasks().spawn()");
        }
    }
    /// Tasks that are active: begun, and not ended.
    [[nodiscard]] std::uint64_t active() const { return active_; }
    [[nodiscard]] bool has_room() const { return active_ < most_active_; }
    [[nodiscard]] std::uint64_t unbegun() const { return backlog_.size() + coroutines_unbegun_.size(); }
    /// Whether `run_ready` or `begin_some` would do anything.
    [[nodiscard]] bool can_go_on() const { return !ready_.empty() || (unbegun() > 0 && has_room()); }
    /// What one of the tasks that wait waits for; empty where none does. To be asked where none can go on.
    [[nodiscard]] std::string blocked() const;

    /// The fibre that calls this lets all ready tasks go first. Raises std::logic_error elsewhere.
    void yield() {
        check_can_wait();
        ++counters_.yields;
        ready_.push(Suspended(*current_, 1));
        leave(ready_.newest());
    }
    /// The fibre that calls this waits until `place` is made ready; `what` is what it waits for.
    void suspend(Suspended& place, const char* subject) {
        ++counters_.suspensions;
        current_->waits_for = subject;
        place = Suspended(*current_, 3); // What it waits for lies in its frame.
        leave(place);
    }
    /// The same of a coroutine, called by an awaiter.
    [[nodiscard]] Suspended suspended(Task::Handle handle, const char* subject) {
        ++counters_.suspensions;
        handle.promise().waits_for = subject;
        return Suspended(handle);
    }
    void make_ready(Suspended task) { ready_.push(task); }

    /// To be called by an object that ends while other ranks, or `tasks`, are to tell it something, which
    /// they would do to whatever has its memory next: ends the program, of which `text` says why. Where an
    /// exception passes the object, that says more, and `check_answer` ends the program if it is caught.
    /// Nothing where the tasks have ended, and with them all who would.
    static void refuse_end(const Tasks& tasks, const std::string& text);
    /// To be called where such an object may be told something.
    void check_answer() const {
        if (!unwound_.empty()) [[unlikely]] {
            end_by_answer();
        }
    }

    /// `co_await tasks.yielded()`: `yield` of a coroutine.
    [[nodiscard]] auto yielded() {
        struct Yielded {
            Tasks& tasks;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            void await_suspend(Task::Handle handle) const {
                ++tasks.counters_.yields;
                tasks.make_ready(Suspended(handle));
            }
            void await_resume() const noexcept {}
        };
        return Yielded{*this};
    }

  private:
    /// While a task with a stack is begun and not ended.
    class Active {
      public:
        explicit Active(Worker& worker) : worker_(worker), tasks_(*worker.tasks) {
            worker.task = tasks_.begin();
            ++tasks_.activity_.fibres_begun;
        }
        Active(const Active&) = delete;
        Active& operator=(const Active&) = delete;
        ~Active() {
            worker_.task = 0;
            --tasks_.active_;
        }

      private:
        Worker& worker_;
        Tasks& tasks_;
    };

    /// Returns the number of the task.
    std::uint64_t begin() {
        ++active_;
        counters_.most_active = std::max(counters_.most_active, active_);
        ++counters_.tasks;
        return ++begun_;
    }
    Worker& idle_worker() {
        if (idle_.empty()) {
            make_worker();
        }
        Worker& worker = *idle_.back();
        idle_.pop_back();
        worker.has_waited = false;
        return worker;
    }
    void note_beginning();
    [[noreturn]] void end_by_answer() const;
    void make_worker();
    void enter(Worker& worker) {
        Worker* outer = std::exchange(current_, &worker);
        worker.fibre.resume();
        current_ = outer;
        if (left_at_ != nullptr) {
            std::exchange(left_at_, nullptr)->place_ = worker.fibre.registers();
            return;
        }
        idle_.push_back(&worker);
        if (worker.error) [[unlikely]] {
            std::rethrow_exception(std::exchange(worker.error, nullptr));
        }
    }
    /// Begin a coroutine, for which there is room.
    void begin(Task::Handle handle) {
        begin();
        ++activity_.coroutines_begun;
        enter(handle);
    }
    void enter(Task::Handle handle);
    void leave(Suspended& place) {
        current_->has_waited = true;
        left_at_ = &place;
        current_->fibre.suspend();
    }

    Counters& counters_;
    const int rank_;
    const std::uint64_t most_active_;
    StackPool stacks_;
    std::vector<Worker*> workers_;
    std::vector<Worker*> idle_;
    Queue<Suspended> ready_;
    Backlog backlog_;
    std::vector<Task::Handle> coroutines_unbegun_; ///< Coroutines that wait for room.
    TaskLink coroutines_;                          ///< All that are there.
    Worker* current_ = nullptr;
    Suspended* left_at_ = nullptr; ///< Where a fibre that leaves its stack to wait is kept.
    std::uint64_t active_ = 0;
    std::uint64_t begun_ = 0;
    Activity activity_;
    std::string unwound_; ///< What an exception has ended too early; empty: nothing.
};

} // namespace goodsyard::runtime
