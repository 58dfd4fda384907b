// A rank of an active-message runtime: work items are sent to their owners, whose handlers send further ones,
// until an epoch ends because none is left anywhere.
//
// Sending never runs a handler: items and messages wait in queues, and handlers are run by the loop of
// `epoch`, one level deep; those of containers also by `handle_outside`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/engine.hpp"

namespace goodsyard::runtime {
inline namespace GOODSYARD_MACHINE {

/// No work is lost in silence. Items and tasks that nobody will handle, since a channel or the runtime ends
/// without a further epoch, end the program; so does a runtime that is used after an exception has left an
/// epoch. Where an exception unwinds them, it alone is heard of.
///
/// Misuse ends the program on all ranks, with a sentence that names the rank and the place.
class Runtime : private Engine {
  public:
    /// Everything given must outlive this; `parameters` are settled.
    Runtime(Transport& transport, const Parameters& parameters, const Computation& computation)
        : Engine(transport, parameters, computation) {}
    /// The same, whose work takes no time on a simulated machine.
    Runtime(Transport& transport, const Parameters& parameters) : Engine(transport, parameters) {}

    using Engine::charge;
    using Engine::charge_reads;
    using Engine::counters;
    using Engine::now_s;
    using Engine::parameters;
    using Engine::rank;
    using Engine::settle_charges;
    using Engine::size;
    using Engine::tasks;
    using Engine::trace;

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
            if (is_held()) {
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
        if (piece == 0) [[unlikely]] {
            engine().refuse("epoch_over() at " + text_of(place) +
                            " has pieces of 0, and would do nothing: at least 1");
        }
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
        explicit Hold(Runtime& runtime) : runtime_(runtime) { runtime_.hold(); }
        Hold(const Hold& second) : Hold(second.runtime_) {}
        Hold& operator=(const Hold&) = delete;
        ~Hold() { runtime_.release(); }

      private:
        Runtime& runtime_;
    };
    /// While there is one, no epoch may begin either, nor another one; `subject`, for people, stays.
    class Loop {
      public:
        Loop(Runtime& runtime, const char* subject) : hold_(runtime), runtime_(runtime) {
            runtime_.note_loop(subject);
        }
        Loop(const Loop&) = delete;
        Loop& operator=(const Loop&) = delete;
        ~Loop() { runtime_.note_loop(nullptr); }

      private:
        Hold hold_;
        Runtime& runtime_;
    };
    /// Outside of epochs, where this rank has sent a message since the last time: handle what has arrived for
    /// mailboxes that admit it, so that it does not stay in memory until the next epoch. Nothing in an epoch,
    /// a handler or a task with a stack, and while there is a Hold.
    void handle_outside() {
        if (may_handle_outside() && !tasks().on_fibre()) [[unlikely]] {
            handle_arrived_outside();
        }
    }

    /// For channels and containers, and for what is written as they are.
    [[nodiscard]] Engine& engine() { return *this; }
};

} // namespace GOODSYARD_MACHINE
} // namespace goodsyard::runtime
