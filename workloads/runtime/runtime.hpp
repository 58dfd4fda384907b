// A rank of an active-message runtime: work items are sent to their owners, whose handlers send further ones,
// until an epoch ends because none is left anywhere.
//
// Sending never runs a handler: items and messages wait in queues, and handlers are run by the loop of
// `epoch`, one level deep; those of containers also by `handle_outside`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/computation.hpp"
#include "harness/simulated.hpp"
#include "harness/unwound.hpp"
#include "runtime/counters.hpp"
#include "runtime/parameters.hpp"
#include "runtime/place.hpp"
#include "runtime/queue.hpp"
#include "runtime/task_trace.hpp"
#include "runtime/tasks.hpp"
#include "runtime/termination.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {

/// What the runtime knows of a channel.
class Mailbox {
  public:
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    virtual ~Mailbox() = default;

    /// Handle the items of a message.
    virtual void deliver(const Buffer& message) = 0;
    /// Send what is not sent yet.
    virtual void flush(Flush reason) = 0;
    /// Send what was begun before a time.
    virtual void flush_older(double than_s) = 0;
    /// When the oldest of what is not sent was begun; infinite where nothing is.
    [[nodiscard]] virtual double oldest_since_s() const = 0;
    /// Whether there is anything that is not sent yet.
    [[nodiscard]] virtual bool has_unsent() const = 0;
    /// Forget what was sent: an epoch has ended.
    virtual void end_epoch() = 0;
    /// Items that were sent since the last epoch ended: as long as no other one has, nobody is known to have
    /// handled them.
    [[nodiscard]] virtual std::uint64_t unhandled() const = 0;
    /// What it is, and where the program makes it, for people: the same on all ranks.
    [[nodiscard]] virtual std::string name() const = 0;

    [[nodiscard]] const Unwound& unwound() const { return unwound_; }

    /// Let its messages be handled outside of epochs too. On all ranks.
    virtual void admit_outside() { is_handled_outside_ = true; }
    [[nodiscard]] bool is_handled_outside() const { return is_handled_outside_; }

  private:
    Unwound unwound_;
    bool is_handled_outside_ = false;
};

/// No work is lost in silence. Items and tasks that nobody will handle, since a channel or the runtime ends
/// without a further epoch, end the program; so does a runtime that is used after an exception has left an
/// epoch. Where an exception unwinds them, it alone is heard of.
///
/// Misuse ends the program on all ranks, with a sentence that names the rank and the place.
class Runtime {
  public:
    /// Everything given must outlive this; `parameters` are settled.
    Runtime(Transport& transport, const Parameters& parameters, const Computation& computation);
    /// The same, whose work takes no time on a simulated machine.
    Runtime(Transport& transport, const Parameters& parameters);
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] const Parameters& parameters() const { return parameters_; }
    [[nodiscard]] const Routing& routing() const { return routing_; }
    [[nodiscard]] Counters& counters() { return counters_; }
    [[nodiscard]] Tasks& tasks() { return tasks_; }
    /// How many tasks were active over time, since it was last restarted.
    [[nodiscard]] TaskTrace& trace() { return trace_; }

    /// Handle items until none is left on any rank, and return what ranks agree on. Collective.
    ///
    /// `step()` does a bounded piece of the rank's own work (of its bucket, for instance), which may send,
    /// and returns whether there was any; it is called between messages, again and again until there is none.
    /// `report()` returns an `Agreed`: this rank's values. It is called whenever the rank has nothing to do,
    /// the last time when the epoch has ended everywhere, and all ranks' values become one sum and one
    /// minimum. Items sent before this is called belong to the epoch. Raises SharedFailure on all ranks, with
    /// the same text, where tasks wait for what never comes, after which the runtime may be used again; no
    /// longer where anything else was raised, by a handler for instance: items are left of which other ranks
    /// do not know.
    template <class Step, class Report>
    Agreed epoch(Step&& step, Report&& report, Place place = Place::current()) {
        begin_epoch(place);
        const Inside inside(*this);
        for (;;) {
            if (termination_.holds()) {
                collect();
                send_posted();
            } else {
                const double before_s = is_waiting() ? now_s() : 0; // What ends a wait is no part of it.
                const bool handled = progress();
                if (step() || handled || !is_passive()) {
                    stop_waiting(before_s);
                    continue;
                }
                start_waiting();
            }
            if (const auto ended = look_for_end(report)) {
                end_epoch(*ended);
                return ended->values;
            }
        }
    }
    /// An epoch whose own work is `work(i)` for every i below `count`, `piece` of them between two looks for
    /// messages. Collective.
    template <class Work>
    void epoch_over(std::size_t count, std::size_t piece, Work&& work, Place place = Place::current()) {
        std::size_t next = 0;
        const auto step = [&] {
            const std::size_t end = std::min(next + piece, count);
            const bool any = next < end;
            for (; next < end; ++next) {
                work(next);
            }
            return any;
        };
        epoch(step, [] { return Agreed{}; }, place);
    }
    /// An epoch of items alone.
    Agreed epoch(Place place = Place::current()) {
        return epoch([] { return false; }, [] { return Agreed{}; }, place);
    }

    /// While there is one, nothing is handled outside of epochs: for loops over what handlers change.
    class Hold {
      public:
        explicit Hold(Runtime& runtime) : runtime_(runtime) { ++runtime_.holds_; }
        Hold(const Hold& second) : Hold(second.runtime_) {}
        Hold& operator=(const Hold&) = delete;
        ~Hold() { --runtime_.holds_; }

      private:
        Runtime& runtime_;
    };
    /// Outside of epochs, where this rank has sent a message since the last time: handle what has arrived for
    /// mailboxes that admit it, so that it does not stay in memory until the next epoch. Nothing in an epoch,
    /// a handler or a task with a stack, and while there is a Hold.
    void handle_outside() {
        if (may_handle_outside_ && phase_ == Phase::outside && holds_ == 0 && !tasks_.on_fibre())
            [[unlikely]] {
            handle_arrived_outside();
        }
    }

    /// Let operations take simulated time, at the next message or the end of the epoch; nothing on a real
    /// machine.
    void charge(Work kind, double operations) {
        if constexpr (simulated) {
            charged_s_ += computation_.seconds(kind, operations);
        }
    }

    /// Let what was charged pass now: before a rank looks for messages that works long without sending any.
    void settle_charges();

    /// For channels: which are made and given up in the same order on all ranks. To be called when its name
    /// is known.
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
    [[nodiscard]] BufferPool& pool() { return transport_.pool(); }
    [[nodiscard]] NodeNumbers numbers_of_node() { return transport_.numbers_of_node(); }
    [[nodiscard]] double now_s() const { return transport_.now_s(); }
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

  private:
    enum class Phase : int {
        outside, ///< Of epochs.
        epoch,
        handling, ///< Handlers run outside of epochs.
        left,     ///< An exception has left an epoch, or a handler outside.
    };
    /// From where handlers may run to where they no longer may, or an exception leaves them.
    class Inside {
      public:
        explicit Inside(Runtime& runtime) : runtime_(runtime) {}
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        ~Inside() {
            if (runtime_.phase_ != Phase::outside) {
                runtime_.has_left_epoch_ = runtime_.phase_ == Phase::epoch;
                runtime_.phase_ = Phase::left;
            }
        }

      private:
        Runtime& runtime_;
    };
    void begin_epoch(const Place& place);
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
    /// What distinguishes the channels that there are.
    [[nodiscard]] std::uint64_t fingerprint() const;
    [[noreturn]] void refuse_message(int from, std::size_t number) const;
    /// Ends the program where ranks have different channels, of which they have added up what distinguishes
    /// them.
    void check_channels(std::uint64_t sum) const;
    /// Let ranks compare their channels now.
    void compare_channels();
    void end_epoch(const Tally& all);
    /// Ends the program where an exception has left an epoch, or another thread calls this.
    void check_is_usable() const {
        if (phase_ == Phase::left || std::this_thread::get_id() != thread_) [[unlikely]] {
            end_unusable();
        }
    }
    [[noreturn]] void end_unusable() const;
    /// Handle what has arrived, and let tasks go on. Returns whether there was anything.
    bool progress();
    bool deliver_arrived();
    void deliver(Buffer&& message);
    [[nodiscard]] Mailbox& mailbox_of(const Buffer& message) const;
    void handle_arrived_outside();
    /// Whether nothing is left to do here; flushes what is not sent.
    bool is_passive();
    /// Pass the time until a message is old enough to be sent, or something else may have changed.
    void await_flush();
    void flush(Flush reason);
    /// Take in what has arrived, without handling it. Returns whether there was anything.
    bool collect();
    /// Until all are sent, this rank does nothing but take in what arrives: a message that others wait to
    /// send is taken in, so that room becomes free on some rank.
    void send_all_posted();
    void keep_arrived(Buffer&& message);
    [[noreturn]] void refuse_backlog(const Buffer& message) const;
    [[nodiscard]] Tally tally(const Agreed& values) const;
    /// Of a task that may be waiting for ever; empty where none waits.
    [[nodiscard]] std::string blocked() const;
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

    template <class Report>
    std::optional<Tally> look_for_end(Report& report) {
        if (!termination_.is_looking()) {
            termination_.look(tally(report()), termination_.may_end() ? blocked() : "");
            send_posted();
        }
        if (termination_.has_looked()) {
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
    std::vector<Mailbox*> mailboxes_; ///< By number; null where one has ended before later ones.
    mutable std::optional<std::uint64_t> fingerprint_;
    Queue<Buffer> arrived_;
    Queue<Buffer> held_back_; ///< Of what has arrived, what waits for the next epoch.
    int holds_ = 0;
    bool may_handle_outside_ = false; ///< A message was sent since `handle_outside` has handled any.
    std::uint64_t sent_ = 0;          ///< Messages, for the termination.
    std::uint64_t handled_ = 0;       ///< Messages.
    double waits_since_s_ = -1;       ///< Negative: it does not.
    TaskTrace trace_;
    double charged_s_ = 0; ///< And not passed yet.
    Phase phase_ = Phase::outside;
    bool has_left_epoch_ = false; ///< What an exception has left was one.
    Place epoch_place_;
    const std::thread::id thread_ = std::this_thread::get_id();
    std::uint64_t waiting_for_ever_ =
        0; ///< Tasks of this rank of which the last epoch's SharedFailure has told.
};

} // namespace goodsyard::runtime
