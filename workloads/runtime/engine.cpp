#include "runtime/engine.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "harness/ending.hpp"
#include "harness/failure.hpp"

namespace goodsyard::runtime {

Engine::Engine(Transport& transport, const Parameters& parameters, const Computation& computation)
    : transport_(transport), rank_(transport.rank()), size_(transport.size()), parameters_(parameters),
      routing_(parameters.route, rank_, size_, transport.ranks_of_node()), computation_(computation),
      tasks_(parameters, counters_, rank_), termination_(transport, outbox_),
      trace_(parameters.trace_tasks_s, transport.now_s()) {
    if (!transport.lend()) {
        refuse(
            "a second runtime is made on a transport that one uses: each takes what has come for the other; "
            "make a transport for each");
    }
    if (const std::string mistake = mistake_in(parameters); !mistake.empty()) {
        refuse(mistake);
    }
    const std::size_t capacity = transport.pool().capacity_bytes();
    if (parameters.buffer_bytes > static_cast<std::int64_t>(capacity)) {
        refuse("a transport has messages of " + std::to_string(capacity) + " bytes, which are to have " +
               std::to_string(parameters.buffer_bytes) + ": make it for capacity_bytes(parameters)");
    }
    transport.note_wait("outside of epochs");
    while (transport.has_kept()) {
        Buffer message = transport.take_kept();
        if (message.channel < Termination::channels) {
            termination_.take(message);
            transport.pool().give_back(std::move(message));
        } else {
            arrived_.push(std::move(message));
        }
    }
}

namespace {

const Computation& free_computation() {
    static const Computation computation(ComputeMode::off, "");
    return computation;
}

} // namespace

Engine::Engine(Transport& transport, const Parameters& parameters)
    : Engine(transport, parameters, free_computation()) {}

Engine::~Engine() {
    if (!mailboxes_.empty() && !unwound_) {
        refuse(mailboxes_.back()->name() +
               " outlive their runtime: end them, and what sends by them, before it");
    }
    const std::uint64_t tasks = tasks_.active() + tasks_.unbegun();
    check_nothing_is_lost(unwound_, tasks - std::min(tasks, waiting_for_ever_),
                          "tasks that were begun or spawned after the last epoch");
    if (!unwound_ && size_ > 1) {
        leave();
    }
    transport_.note_wait("without a runtime");
    transport_.take_back();
}

void Engine::check_nothing_is_lost(const Unwound& unwound, std::uint64_t count, const std::string& subject,
                                   const std::string& cure) const {
    if (unwound) {
        return;
    }
    check_is_usable();
    if (count > 0) {
        end_program(rank_, std::to_string(count) + " " + subject + " are lost: " + cure);
    }
}

void Engine::refuse(const std::string& text) const {
    end_program(rank_, text);
}

void Engine::refuse_rank(int to, const Mailbox& mailbox) const {
    refuse(mailbox.name() + ": sent to rank " + std::to_string(to) + ", and the ranks are 0 to " +
           std::to_string(size_ - 1));
}

void Engine::end_unusable() const {
    if (std::this_thread::get_id() != thread_) {
        refuse(
            "a second thread uses the runtime, which is for the one that made it: let that thread send what "
            "the others have to be sent");
    }
    refuse("an exception has left " +
           std::string(has_left_epoch_ ? "an epoch" : "a function async_… of a container") +
           " and was caught, so that items are lost: let it end the "
           "program, or catch it inside of the handler or task");
}

void Engine::refuse_null(const std::string& subject) const {
    refuse(subject + ": sent to a GlobalPtr that points to no object");
}

void Engine::check_may_replace_handler(const Mailbox& mailbox) const {
    if (handlers_may_run()) {
        refuse(mailbox.name() + " are given a handler within " + text_of_phase() +
               ": call on_receipt() before it");
    }
}

int Engine::add(Mailbox& mailbox) {
    check_is_usable();
    if (handlers_may_run()) {
        refuse(mailbox.name() + " are made within " + text_of_phase() +
               ": make channels before it, on all ranks");
    }
    mailboxes_.push_back(&mailbox);
    names_.reset();
    return Termination::channels + static_cast<int>(mailboxes_.size()) - 1;
}

void Engine::remove(const Mailbox& mailbox) {
    if (handlers_may_run() && !mailbox.unwound()) {
        refuse(mailbox.name() + " end within " + text_of_phase() + ": end them after it");
    }
    *std::find(mailboxes_.begin(), mailboxes_.end(), &mailbox) = nullptr; // Later ones keep their numbers.
    names_.reset();
    while (!mailboxes_.empty() && mailboxes_.back() == nullptr) {
        mailboxes_.pop_back();
    }
    check_nothing_is_lost(mailbox.unwound(), mailbox.unhandled(),
                          mailbox.name() + " that were sent after the last epoch");
}

void Engine::begin_epoch(const Place& place) {
    check_is_usable();
    if (handlers_may_run()) {
        refuse("epoch() at " + text_of(place) + " is called within " + text_of_phase() +
               ", by a handler, a task or a step: an epoch is for all ranks together, and ends by itself");
    }
    if (loop_ != nullptr) {
        refuse_loop("epoch() at " + text_of(place));
    }
    phase_ = Phase::epoch;
    epoch_place_ = place;
    ++epochs_;
    ++stretch_;
    transport_.note_wait("in the epoch", &epoch_place_);
    while (!held_back_.empty()) {
        arrived_.push(held_back_.pop());
    }
    ++counters_.epochs;
    if (parameters_.checked) {
        compare_channels();
    }
}

void Engine::refuse_loop(const std::string& subject) const {
    refuse(subject + " is called within " + loop_ +
           ", over keys that it may change: call it, and what is collective, after the loop");
}

void Engine::refuse_different(const char* subject, std::uint64_t count, const Agreed& all,
                              const Place& place) const {
    refuse(std::to_string(count) + " " + subject + " at " + text_of(place) + " here, " +
           std::to_string(all.min) + " on the rank with least, " + std::to_string(all.sum) +
           " on all ranks together: pass the same number on all ranks");
}

std::string Engine::text_of_phase() const {
    return phase_ == Phase::epoch ? "the epoch at " + text_of(epoch_place_)
                                  : "a function async_… of a container, outside of epochs";
}

void Engine::compare_channels() {
    // As a look for the end that comes too early: it finds none, since what is sent later is no part of it.
    termination_.look({sent_, handled_, 0, {}, fingerprint()}, "");
    await_sum();
    check_nobody_has_left();
    check_channels(termination_.last().channels);
}

void Engine::await_sum() {
    send_posted();
    while (!termination_.has_looked()) {
        if (!collect()) {
            transport_.idle();
        }
        send_posted();
    }
}

std::string Engine::text_of_epoch() const {
    return "epoch " + std::to_string(epochs_) + " at " + text_of(epoch_place_);
}

void Engine::leave() {
    leaves_ = true;
    const std::string epochs = epochs_ == 0 ? "without an epoch" : "after " + text_of_epoch();
    termination_.leave({sent_, handled_, 0, {}, fingerprint()},
                       "rank " + std::to_string(rank_) + " ends its runtime " + epochs);
    transport_.note_wait("at the end of its runtime");
    try {
        await_sum();
    } catch (const Unwinding&) { // NOLINT(bugprone-empty-catch): of a simulated rank that is given up.
    }
    while (!arrived_.empty()) {
        transport_.keep(arrived_.pop()); // Of a rank that has its next runtime.
    }
}

void Engine::end_left() const {
    refuse(termination_.said() + ", and this rank waits for it in " + text_of_epoch() +
           ": call epoch(), and what is collective, as often on all ranks");
}

std::string Engine::names_of_channels() const {
    std::string names;
    for (const Mailbox* mailbox : mailboxes_) {
        names += (names.empty() ? "" : ", ") + (mailbox == nullptr ? "one that has ended" : mailbox->name());
    }
    return names;
}

std::uint64_t Engine::fingerprint() const {
    if (!names_) {
        names_ = std::hash<std::string>{}(names_of_channels());
    }
    return *names_ + functions.fingerprint() + 0x9E3779B97F4A7C15U * containers_;
}

void Engine::check_channels(std::uint64_t sum) const {
    if (sum == fingerprint() * static_cast<std::uint64_t>(size_)) {
        return;
    }
    const std::string names = names_of_channels();
    refuse("ranks have different channels, or functions that they send, in the epoch at " +
           text_of(epoch_place_) +
           ": make the same channels on all ranks, in the same order, by the same program; here are " +
           std::to_string(functions.size()) + " functions, " + std::to_string(containers_) +
           " containers, and " + (names.empty() ? "no channel" : names));
}

void Engine::check_is_outside(const std::string& subject, const char* verb) const {
    if (handlers_may_run()) {
        refuse(subject + verb + "within " + text_of_phase() +
               ": containers are made, and end, outside of epochs, on all ranks");
    }
}

void Engine::add_container(const std::string& subject) {
    check_is_usable();
    check_is_outside(subject, " is made ");
    ++containers_;
}

void Engine::remove_container(const std::string& subject, const Unwound& unwound) {
    if (!unwound) {
        check_is_outside(subject, " ends ");
    }
    --containers_;
}

void Engine::post(Buffer&& message, Flush reason) {
    check_is_usable();
    ++counters_.flushes[static_cast<std::size_t>(reason)];
    ++sent_;
    may_handle_outside_ = true;
    if (message.rank == rank_) {
        ++counters_.messages_to_self;
        keep_arrived(std::move(message));
        return;
    }
    ++counters_.messages;
    counters_.message_bytes += message.size;
    counters_.messages_by_bytes.add(message.size);
    charge(Work::move, message.size / 8.0);
    outbox_.push(std::move(message));
    if (tasks_.on_fibre()) {
        // MPI needs more stack than a fibre has; messages leave when the rank's own goes on.
        while (outbox_.size() > static_cast<std::size_t>(parameters_.sends)) {
            tasks_.yield();
        }
    } else {
        send_all_posted();
    }
}

void Engine::send_all_posted() {
    settle_charges();
    while (!outbox_.empty()) {
        if (transport_.send(outbox_[0])) {
            outbox_.pop();
            continue;
        }
        ++counters_.waits_for_room;
        if (!collect()) {
            transport_.idle();
        }
    }
}

bool Engine::collect() {
    if constexpr (simulated) {
        if (transport_.has_timers()) {
            settle_charges(); // Looking costs a simulator nothing there: it happens when it would.
        }
    }
    bool any = false;
    Buffer message;
    for (int i = 0; i < parameters_.receives && transport_.receive(message); ++i) {
        any = true;
        if (message.channel < Termination::channels) {
            if (leaves_ && termination_.is_finished()) {
                arrived_.push(std::move(message)); // Of a child that has its next runtime already.
                continue;
            }
            termination_.take(message);
            transport_.pool().give_back(std::move(message));
        } else {
            keep_arrived(std::move(message));
        }
    }
    return any;
}

void Engine::keep_arrived(Buffer&& message) {
    arrived_.push(std::move(message));
    const std::size_t backlog = arrived_.size() + held_back_.size();
    counters_.longest_backlog = std::max<std::uint64_t>(counters_.longest_backlog, backlog);
    if (phase_ == Phase::outside && parameters_.backlog_bytes > 0 &&
        backlog * transport_.pool().capacity_bytes() > static_cast<std::size_t>(parameters_.backlog_bytes))
        [[unlikely]] {
        refuse_backlog(arrived_.newest());
    }
}

void Engine::refuse_backlog(const Buffer& message) const {
    refuse("more than " + std::to_string(parameters_.backlog_bytes) +
           " bytes of messages wait outside of an epoch, the last from rank " + std::to_string(message.rank) +
           " with " + mailbox_of(message).name() +
           ": send inside of runtime.epoch_over(count, piece, work), which handles messages meanwhile, or "
           "raise --backlog-bytes (0: no limit)");
}

void Engine::refuse_function(std::uint64_t number, int from) const {
    refuse("rank " + std::to_string(from) + " has sent function " + std::to_string(number) +
           ", and there are " + std::to_string(functions.size()) + ": run the same program on all ranks");
}

void Engine::refuse_message(int from, std::size_t number) const {
    const std::string names = names_of_channels();
    refuse("a message of channel " + std::to_string(number + 1) + " has come from rank " +
           std::to_string(from) + ": make the same channels on all ranks, in the same order; here are " +
           (names.empty() ? "none" : names));
}

Mailbox& Engine::mailbox_of(const Buffer& message) const {
    const auto number = static_cast<std::size_t>(message.channel - Termination::channels);
    if (number >= mailboxes_.size() || mailboxes_[number] == nullptr) [[unlikely]] {
        refuse_message(message.rank, number);
    }
    return *mailboxes_[number];
}

void Engine::deliver(Buffer&& message) {
    charge(Work::move, message.size / 8.0);
    if (message.rank == rank_) {
        charge(Work::parcel, 1);
    }
    mailbox_of(message).deliver(message);
    ++handled_; // Not before: of items that an exception leaves, no rank finds that they were handled.
    transport_.pool().give_back(std::move(message));
}

void Engine::handle_arrived_outside() {
    check_is_usable();
    may_handle_outside_ = false;
    phase_ = Phase::handling;
    const Inside inside(*this);
    collect();
    // What these send is for the next time: a handler that goes on to another key would keep the rank here.
    for (std::size_t count = arrived_.size(); count > 0; --count) {
        Buffer message = arrived_.pop();
        if (mailbox_of(message).is_handled_outside()) {
            deliver(std::move(message));
        } else {
            held_back_.push(std::move(message));
        }
    }
    send_posted();
    phase_ = Phase::outside;
}

bool Engine::deliver_arrived() {
    // What these send to this rank itself is for the next time: the rank's own work comes in between.
    const std::size_t count = arrived_.size();
    for (std::size_t i = 0; i < count; ++i) {
        deliver(arrived_.pop());
        if (count > 1) {
            tasks_.run_ready(); // While what the message has touched of them is in the cache.
            send_posted();
        }
    }
    return count > 0;
}

bool Engine::progress() {
    if (parameters_.flush_age_s > 0) {
        const double than_s = transport_.now_s() - parameters_.flush_age_s;
        for_channels([&](Mailbox& mailbox) { mailbox.flush_older(than_s); });
    }
    if (trace_.is_on()) {
        trace_.sample(transport_.now_s(), tasks_.active());
    }
    collect();
    const bool delivered = deliver_arrived();
    const bool resumed = tasks_.run_ready();
    const bool begun = tasks_.begin_some(parameters_.poll_interval);
    send_posted();
    return delivered || resumed || begun;
}

void Engine::flush(Flush reason) {
    for_channels([&](Mailbox& mailbox) { mailbox.flush(reason); });
}

bool Engine::is_passive() {
    const auto is_unsent = [](const Mailbox* mailbox) { return mailbox != nullptr && mailbox->has_unsent(); };
    if (std::any_of(mailboxes_.begin(), mailboxes_.end(), is_unsent)) {
        if (parameters_.flush_when_idle) {
            flush(Flush::idle);
        } else if (parameters_.flush_age_s > 0 &&
                   (parameters_.idle != Idle::wait || transport_.has_timers())) {
            await_flush();
            return false;
        } else {
            flush(Flush::last);
        }
    }
    return arrived_.empty() && !tasks_.can_go_on();
}

void Engine::await_flush() {
    settle_charges();
    ++counters_.idle_polls;
    double oldest_s = std::numeric_limits<double>::infinity();
    for_channels([&](const Mailbox& mailbox) { oldest_s = std::min(oldest_s, mailbox.oldest_since_s()); });
    transport_.idle_until(oldest_s + parameters_.flush_age_s);
}

void Engine::end_epoch(const Tally& all) {
    stop_waiting(now_s());
    send_posted(); // That it has ended.
    charge(Work::epoch, 1);
    settle_charges();
    for_channels([](Mailbox& mailbox) { mailbox.end_epoch(); });
    check_channels(all.channels);
    transport_.note_wait("outside of epochs");
    phase_ = Phase::outside;
    ++stretch_;
    waiting_for_ever_ = tasks_.active() + tasks_.unbegun();
    if (all.blocked > 0) {
        const std::string tasks =
            all.blocked == 1 ? "1 task waits" : std::to_string(all.blocked) + " tasks wait";
        throw SharedFailure(tasks + " for what never comes, and nothing else is left to do on any rank: " +
                            termination_.said());
    }
}

Tally Engine::tally(const Agreed& values) const {
    return {sent_, handled_, tasks_.active() + tasks_.unbegun(), values, fingerprint()};
}

std::string Engine::blocked() const {
    const std::string task = tasks_.blocked();
    return task.empty() ? task : "on rank " + std::to_string(rank_) + " " + task;
}

void Engine::settle_charges() {
    if constexpr (simulated) {
        const Tasks::Activity activity = tasks_.take_activity();
        charge(Work::task, static_cast<double>(activity.stacks_entered));
        charge(Work::fibre, static_cast<double>(activity.fibres_begun - activity.stacks_entered));
        charge(Work::coroutine, static_cast<double>(activity.coroutines_begun));
        charge(Work::fibre_switch, static_cast<double>(activity.switches));
        charge(Work::handler, static_cast<double>(activity.resumptions));
        computation_.pass(std::exchange(charged_s_, 0));
    }
}

} // namespace goodsyard::runtime
