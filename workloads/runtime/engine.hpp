// Messages, channels and tasks of a rank: by what is here channels are written, and the epochs of a Runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/computation.hpp"
#include "harness/simulated.hpp"
#include "harness/unwound.hpp"
#include "runtime/counters.hpp"
#include "runtime/functions.hpp"
#include "runtime/mailbox.hpp"
#include "runtime/parameters.hpp"
#include "runtime/place.hpp"
#include "runtime/queue.hpp"
#include "runtime/routing.hpp"
#include "runtime/task_trace.hpp"
#include "runtime/tasks.hpp"
#include "runtime/termination.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {
inline namespace GOODSYARD_MACHINE {

/// The part of a Runtime for channels and containers; programs call what a Runtime makes public of it.
class Engine {
  public:
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] const Parameters& parameters() const { return parameters_; }
    [[nodiscard]] Counters& counters() { return counters_; }
    [[nodiscard]] Tasks& tasks() { return tasks_; }
    /// How many tasks were active over time, since it was last restarted.
    [[nodiscard]] TaskTrace& trace() { return trace_; }
    /// Of the transport's clock.
    [[nodiscard]] double now_s() const { return transport_.now_s(); }

    /// Let operations take simulated time, at the next message or the end of the epoch; nothing on a real
    /// machine.
    void charge(Work kind, double operations) {
        if constexpr (simulated) {
            charged_s_ += computation_.seconds(kind, operations);
        }
    }

    /// The same of reads of a table of so many bytes, beyond what they take in the nearest cache.
    void charge_reads(ReadOrder order, std::uint64_t table_bytes, double reads) {
        if constexpr (simulated) {
            charged_s_ += computation_.read_seconds(order, table_bytes, reads);
        }
    }

    /// Let what was charged pass now: before a rank looks for messages that works long without sending any.
    void settle_charges();

    [[nodiscard]] const Routing& routing() const { return routing_; }
    /// Of channels, which are made and given up in the same order on all ranks. To be called when the name is
    /// known.
    int add(Mailbox& mailbox);
    void remove(const Mailbox& mailbox);
    /// To be called at the end of what keeps work, and `unwound`: ends the program where there is work left,
    /// of `count` pieces that `subject` names.
    void check_nothing_is_lost(const Unwound& unwound, std::uint64_t count, const std::string& subject,
                               const std::string& cure = "all ranks call epoch() before their end") const;
    /// End the program, of which `text` says why.
    [[noreturn]] void refuse(const std::string& text) const;
    /// Of an item or a record that is to be sent.
    [[noreturn]] void refuse_rank(int to, const Mailbox& mailbox) const;
    /// Of what is sent to an object, where the pointer has none; `subject` is what.
    [[noreturn]] void refuse_null(const std::string& subject) const;
    /// Ends the program where `count`, which `all` has of all ranks, is not the same on all; `subject` is of
    /// what.
    void check_is_same(const char* subject, std::uint64_t count, const Agreed& all,
                       const Place& place) const {
        if (all.min != count || all.sum != count * static_cast<std::uint64_t>(size_)) [[unlikely]] {
            refuse_different(subject, count, all, place);
        }
    }
    /// Ends the program within a loop over what handlers change, which `subject` would change.
    void check_no_loop(const char* subject) const {
        if (loop_ != nullptr) [[unlikely]] {
            refuse_loop(subject);
        }
    }
    /// A container is made, or ends: on all ranks, outside of epochs. `subject` says which, for people.
    void add_container(const std::string& subject);
    void remove_container(const std::string& subject, const Unwound& unwound);
    /// What has been sent in the same stretch, of an epoch or between two, nobody is known to have handled.
    [[nodiscard]] std::uint64_t stretch() const { return stretch_; }
    /// Ends the program where handlers may run, one of which `mailbox` is about to lose.
    void check_may_replace_handler(const Mailbox& mailbox) const;
    /// The function that rank `from` has sent by number. Ends the program where this rank has none of it.
    template <class Function>
    [[nodiscard]] Function function(std::uint64_t number, int from) const {
        if (number >= functions.size()) [[unlikely]] {
            refuse_function(number, from);
        }
        return functions.at<Function>(number);
    }
    [[nodiscard]] BufferPool& pool() { return transport_.pool(); }
    [[nodiscard]] NodeNumbers numbers_of_node() { return transport_.numbers_of_node(); }
    /// Send a message: at once, or when there is room; until then a fibre waits, and anything else takes in
    /// what arrives, without handling it.
    void post(Buffer&& message, Flush reason);
    [[nodiscard]] bool has_posted() const { return !outbox_.empty(); }
    /// To be called on the rank's own stack after a fibre has run.
    void send_posted() {
        if (has_posted()) {
            send_all_posted();
        }
    }

  protected:
    /// Everything passed must outlive this; `parameters` are settled.
    Engine(Transport& transport, const Parameters& parameters, const Computation& computation);
    Engine(Transport& transport, const Parameters& parameters);
    ~Engine();

    enum class Phase : int {
        outside, ///< Of epochs.
        epoch,
        handling, ///< Handlers run outside of epochs.
        left,     ///< An exception has left an epoch, or a handler outside.
    };
    /// From where handlers may run to where they no longer may, or an exception leaves them.
    class Inside {
      public:
        explicit Inside(Engine& engine) : engine_(engine) {}
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        ~Inside() {
            if (engine_.phase_ != Phase::outside) {
                engine_.has_left_epoch_ = engine_.phase_ == Phase::epoch;
                engine_.phase_ = Phase::left;
            }
        }

      private:
        Engine& engine_;
    };
    void begin_epoch(const Place& place);
    void end_epoch(const Tally& all);
    /// Handle what has arrived, and let tasks go on. Returns whether there was anything.
    bool progress();
    void handle_arrived_outside();
    [[nodiscard]] bool may_handle_outside() const {
        return may_handle_outside_ && phase_ == Phase::outside && holds_ == 0;
    }
    void hold() { ++holds_; }
    void release() { --holds_; }
    /// A loop over what handlers change begins, which `subject` names, or ends (null).
    void note_loop(const char* subject) { loop_ = subject; }
    /// Whether nothing is left to do here; flushes what is not sent.
    bool is_passive();
    /// Take in what has arrived, without handling it. Returns whether there was anything.
    bool collect();
    /// A sum that may be the last is on its way.
    [[nodiscard]] bool is_held() const { return termination_.holds(); }
    [[nodiscard]] bool is_waiting() const { return waits_since_s_ >= 0; }
    /// The rank has nothing to do; or it has again, since `end_s`.
    void start_waiting() {
        if (!is_waiting() && tasks_.active() > 0) {
            waits_since_s_ = now_s();
        }
    }
    void stop_waiting(double end_s) {
        if (is_waiting()) [[unlikely]] {
            counters_.blocked_s += end_s - std::exchange(waits_since_s_, -1);
        }
    }

    /// The last sum, where it has found the end; passes the time where nothing has been found.
    template <class Report>
    std::optional<Tally> look_for_end(Report& report) {
        if (!termination_.is_looking()) {
            termination_.look(tally(report()), termination_.may_end() ? blocked() : "");
            send_posted();
        }
        if (termination_.has_looked()) {
            check_nobody_has_left();
            ++counters_.waves;
            return termination_.ended();
        }
        if (arrived_.empty() || termination_.holds()) {
            settle_charges();
            ++counters_.idle_polls;
            transport_.idle();
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] bool handlers_may_run() const {
        return phase_ == Phase::epoch || phase_ == Phase::handling;
    }
    /// For people: where `handlers_may_run`.
    [[nodiscard]] std::string text_of_phase() const;
    template <class Work>
    void for_channels(Work&& work) {
        for (Mailbox* mailbox : mailboxes_) {
            if (mailbox != nullptr) {
                work(*mailbox);
            }
        }
    }
    [[nodiscard]] std::string names_of_channels() const;
    void check_is_outside(const std::string& subject, const char* verb) const;
    /// What distinguishes the channels and functions that there are.
    [[nodiscard]] std::uint64_t fingerprint() const;
    [[noreturn]] void refuse_function(std::uint64_t number, int from) const;
    [[noreturn]] void refuse_message(int from, std::size_t number) const;
    /// Ends the program where ranks have different channels or functions, of which they have added up what
    /// distinguishes them.
    void check_channels(std::uint64_t sum) const;
    /// Let ranks compare their channels now.
    void compare_channels();
    /// At the end of the runtime, which is that of all ranks: one that is in an epoch would wait for ever.
    void leave();
    /// Take in what arrives until the sum has been finished that this rank is part of.
    void await_sum();
    /// Ends the program where a rank has ended its runtime with the last sum.
    void check_nobody_has_left() const {
        if (termination_.is_left()) [[unlikely]] {
            end_left();
        }
    }
    [[noreturn]] void end_left() const;
    /// The last, and the how many-th.
    [[nodiscard]] std::string text_of_epoch() const;
    /// Ends the program where an exception has left an epoch, or another thread calls this.
    void check_is_usable() const {
        if (phase_ == Phase::left || std::this_thread::get_id() != thread_) [[unlikely]] {
            end_unusable();
        }
    }
    [[noreturn]] void end_unusable() const;
    bool deliver_arrived();
    void deliver(Buffer&& message);
    [[nodiscard]] Mailbox& mailbox_of(const Buffer& message) const;
    /// Pass the time until a message is old enough to be sent, or something else may have changed.
    void await_flush();
    void flush(Flush reason);
    /// Until all are sent, this rank does nothing but take in what arrives: a message that others wait to
    /// send is taken in, so that room becomes free on some rank.
    void send_all_posted();
    void keep_arrived(Buffer&& message);
    [[noreturn]] void refuse_different(const char* subject, std::uint64_t count, const Agreed& all,
                                       const Place& place) const;
    [[noreturn]] void refuse_loop(const std::string& subject) const;
    [[noreturn]] void refuse_backlog(const Buffer& message) const;
    [[nodiscard]] Tally tally(const Agreed& values) const;
    /// Of a task that may be waiting for ever; empty where none waits.
    [[nodiscard]] std::string blocked() const;

    Unwound unwound_;
    Transport& transport_;
    const int rank_;
    const int size_;
    const Parameters parameters_;
    const Routing routing_;
    const Computation& computation_;
    Counters counters_;
    Tasks tasks_;
    Queue<Buffer> outbox_;
    Termination termination_;
    std::vector<Mailbox*> mailboxes_;            ///< By number; null where one has ended before later ones.
    mutable std::optional<std::uint64_t> names_; ///< What distinguishes the names of channels.
    Queue<Buffer> arrived_;
    Queue<Buffer> held_back_; ///< Of what has arrived, what waits for the next epoch.
    int holds_ = 0;
    const char* loop_ = nullptr;      ///< Within which no epoch may begin.
    bool may_handle_outside_ = false; ///< A message was sent since `handle_outside` has handled any.
    std::uint64_t sent_ = 0;          ///< Messages, for the termination.
    std::uint64_t handled_ = 0;       ///< Messages.
    double waits_since_s_ = -1;       ///< Negative: it does not.
    TaskTrace trace_;
    double charged_s_ = 0; ///< And not passed yet.
    Phase phase_ = Phase::outside;
    bool leaves_ = false;         ///< The runtime ends.
    bool has_left_epoch_ = false; ///< What an exception has left was one.
    Place epoch_place_;
    std::uint64_t epochs_ = 0;  ///< Begun, whatever the counters were set to.
    std::uint64_t stretch_ = 1; ///< How many epochs have begun or ended.
    std::uint64_t containers_ = 0;
    const std::thread::id thread_ = std::this_thread::get_id();
    std::uint64_t waiting_for_ever_ =
        0; ///< Tasks of this rank of which the last epoch's SharedFailure has told.
};

} // namespace GOODSYARD_MACHINE
} // namespace goodsyard::runtime
