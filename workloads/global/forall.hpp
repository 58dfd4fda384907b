// Loops over indices and over global arrays, by recursive halving: a task that has more indices than a
// threshold leaves the upper half to others.
//
// A threshold of 0 is that of the parameters (--loop-threshold). With `--execution fibre` a body may wait, as
// a task does whose further indices wait with it: the threshold is also what remains of parallelism.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "global/global_array.hpp"
#include "runtime/completion_event.hpp"
#include "runtime/stealable.hpp"

namespace goodsyard::global {

using runtime::Agreed;
using runtime::Runtime;

/// Indices first … last - 1.
struct Indices {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    [[nodiscard]] std::uint64_t size() const { return last - first; }
    /// Keep the lower half, and return the upper.
    Indices split() {
        const std::uint64_t middle = first + size() / 2;
        return {middle, std::exchange(last, middle)};
    }
};

/// A loop of all ranks: `body(index)` is run once for each index of each rank's `own`, on any of the ranks
/// that steal from each other. Returns what `report()` of the ranks agrees on. Collective, outside of epochs.
template <class Body, class Report>
Agreed forall(Runtime& runtime, Indices local, const runtime::Thieves& thieves, Body body, Report report,
              std::uint64_t threshold = 0) {
    const std::uint64_t least = threshold == 0 ? runtime.parameters().loop_threshold : threshold;
    runtime::Stealable<Indices> loop(runtime, thieves);
    loop.on_turn([&](const Indices& value) {
        Indices indices = value;
        while (indices.size() > least) {
            loop.add(indices.split());
        }
        for (std::uint64_t i = indices.first; i < indices.last; ++i) {
            body(i);
        }
    });
    if (local.size() > 0) {
        loop.add(local);
    }
    return runtime.epoch([&] { return loop.step(); }, report);
}

/// A loop over 0 … size - 1, dealt to ranks in blocks; ranks without work steal. Collective.
template <class Body>
void forall(Runtime& runtime, std::uint64_t size, Body body, std::uint64_t threshold = 0,
            runtime::Place place = runtime::Place::current()) {
    const Distribution blocks(size, runtime.size(), Dealing::block);
    const std::uint64_t first = std::min(size, blocks.index(runtime.rank(), 0));
    const Agreed all = forall(
        runtime, Indices{first, first + blocks.count(runtime.rank())}, runtime::all_ranks(runtime),
        std::move(body), [size] { return Agreed{.sum = size, .min = size}; }, threshold);
    runtime.engine().check_is_same("indices of forall()", size, all, place);
}

/// A loop over the elements of an array, each where it lies: `body(index, element)`, with a reference to the
/// element, on its owner. Collective.
template <class T, class Body>
void forall(Runtime& runtime, GlobalArray<T>& array, Body body, std::uint64_t threshold = 0) {
    forall(
        runtime, Indices{0, array.own().size()}, runtime::this_rank(runtime),
        [&](std::uint64_t place) { body(array.index(place), array.own()[place]); }, [] { return Agreed{}; },
        threshold);
}

/// Do some indices of `all`, and leave upper halves to further tasks while there is room for any.
template <class Body>
void halve(runtime::Tasks& tasks, Indices indices, std::uint64_t least, const Body& body,
           runtime::CompletionEvent& all) {
    while (indices.size() > least && tasks.has_room()) {
        all.enroll();
        tasks.run_fibre([&tasks, upper = indices.split(), least, &body, &all] {
            halve(tasks, upper, least, body, all);
            all.complete();
        });
    }
    for (std::uint64_t i = indices.first; i < indices.last; ++i) {
        body(i);
    }
}

/// A loop of a task over its rank's own indices: returns when all are done. Parts are begun at once, as
/// further tasks, as long as there is room for any, and otherwise done by the task itself: so loops may nest
/// whatever `--active-tasks` is. To be called by a fibre.
template <class Body>
void forall_here(Runtime& runtime, Indices indices, const Body& body, std::uint64_t threshold = 0) {
    runtime::CompletionEvent all(runtime.tasks(), nullptr, "the rest of a loop");
    halve(runtime.tasks(), indices, threshold == 0 ? runtime.parameters().loop_threshold : threshold, body,
          all);
    all.wait();
}

/// A loop of a rank over its own indices for which the epoch waits, and no task: parts are tasks, and those
/// for which there is no room are begun later, so that up to `--active-tasks` of them wait at once, however
/// loops nest. `body(index)`, or `body(indices)` for what a task does of them, is trivially copyable, and
/// copied into each part. To be called by a fibre.
template <class Body>
void forall_async(Runtime& runtime, Indices indices, const Body& body, std::uint64_t threshold = 0) {
    const std::uint64_t least = threshold == 0 ? runtime.parameters().loop_threshold : threshold;
    while (indices.size() > least) {
        runtime.tasks().run_fibre(
            [&runtime, upper = indices.split(), body, least] { forall_async(runtime, upper, body, least); });
    }
    if constexpr (std::is_invocable_v<const Body&, Indices>) {
        body(indices);
    } else {
        for (std::uint64_t i = indices.first; i < indices.last; ++i) {
            body(i);
        }
    }
}

} // namespace goodsyard::global
