// Memory that MPI takes: by MPI_Init, and by each communicator or window, as the maximum over ranks.
//
// At the end every rank talks to every other, and the process is read again: connections that are made by the
// first message are part of what MPI takes (DOI 10.1109/TPDS.2019.2896993, Figure 4 i).
//
// Live heap is counted at every allocation, which holds for any number of ranks a core. A library that
// allocates elsewhere shows no allocation at all in a constructor: that is told as `not_measurable`, never as
// 0.

#include <array>
#include <cstdio>
#include <mpi.h>
#include <optional>
#include <string>
#include <vector>

#include "memory/constructor.hpp"
#include "memory/growth.hpp"
#include "memory/heap.hpp"
#include "memory/process.hpp"
#include "mpi/check.hpp"
#include "mpi/entry.hpp"
#include "mpi/implementation.hpp"
#include "protocol/lines.hpp"

namespace goodsyard {
namespace {

void report(const Lines& lines, const World& world, const std::string& op, const std::vector<double>& bytes,
            long long allocations) {
    if (!world.is_root()) {
        return;
    }
    const Labels labels = {{"op", op}};
    const std::optional<Growth> result = growth(bytes, allocations);
    if (!result) {
        lines.write("not_measurable", "", labels, {1});
        std::fprintf(stderr, "%-12s   not measurable: this library allocates outside malloc\n", op.c_str());
        return;
    }
    lines.write("heap_bytes", "B", labels, bytes);
    lines.write("heap_mean_bytes", "B", labels, {result->mean_bytes});
    lines.write("heap_jump_bytes", "B", labels, {result->jump_bytes});
    lines.write("heap_jumps", "", labels, {static_cast<double>(result->jumps)});
    std::fprintf(stderr, "%-12s%12.0f B, median%10.0f B, %d jumps, of %.0f B at most\n", op.c_str(),
                 result->mean_bytes, result->median_bytes, result->jumps, result->jump_bytes);
}

void measure_constructor(const Lines& lines, const World& world, Constructor subject, int repetitions) {
    const std::string op(constructor_names[static_cast<std::size_t>(subject)]);
    double shared = 0;
    std::vector<Constructed> stored;
    stored.reserve(static_cast<std::size_t>(repetitions));
    std::vector<double> local(static_cast<std::size_t>(repetitions));
    long long allocations = 0;
    const double shared_before = shared_resident_now();
    for (double& bytes : local) {
        const Heap before = heap_now();
        stored.push_back(construct(subject, world, shared));
        const Heap after = heap_now();
        bytes = static_cast<double>(after.live_bytes - before.live_bytes);
        allocations += after.allocations - before.allocations;
    }
    const double shared_each = (shared_resident_now() - shared_before) / repetitions;
    std::vector<double> largest;
    world.to_root(Fold::max, local, largest);
    const auto most_allocations = world.to_root(Fold::max, static_cast<std::int64_t>(allocations));
    const double most_shared = world.to_root(Fold::max, shared_each);
    report(lines, world, op, largest, most_allocations);
    if (world.is_root() && shared_before >= 0) {
        lines.write("shared_bytes", "B", {{"op", op}}, {most_shared});
    }
}

/// What the process has; `op` says when.
void report_process(const Lines& lines, const World& world, const char* op) {
    const Resident own_part = resident_now();
    const double resident = world.to_root(Fold::max, own_part.resident_bytes);
    const double proportional = world.to_root(Fold::max, own_part.proportional_bytes);
    const double unshared = world.to_root(Fold::max, own_part.private_bytes);
    const double shared = world.to_root(Fold::max, shared_resident_now());
    if (!world.is_root()) {
        return;
    }
    const Labels labels = {{"op", op}};
    if (resident < 0) {
        lines.write("not_measurable", "", labels, {1});
        return;
    }
    lines.write("resident_bytes", "B", labels, {resident});
    lines.write("proportional_bytes", "B", labels, {proportional});
    lines.write("private_bytes", "B", labels, {unshared});
    lines.write("shared_bytes", "B", labels, {shared});
    std::fprintf(stderr, "%-12s%14.0f B resident, %.0f B of it private, %.0f B proportional\n", op, resident,
                 unshared, proportional);
}

/// Let every rank talk to every other, `bytes` to each, which makes the connections that a library puts off.
/// The buffers are gone when the process is looked at.
void talk_to_all(const World& world, int bytes) {
    const std::vector<char> sent(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(world.size()), 1);
    std::vector<char> received(sent.size());
    check(MPI_Alltoall(sent.data(), bytes, MPI_CHAR, received.data(), bytes, MPI_CHAR, comm_of(world)),
          "MPI_Alltoall");
}

/// Heap that the first talk of all ranks takes and does not give back, and the process after it.
void measure_talk(const Lines& lines, const World& world, int bytes) {
    const Heap before = heap_now();
    talk_to_all(world, bytes);
    const Heap after = heap_now();
    report_process(lines, world, "process_after_alltoall");
    // A library without a connection to make takes nothing, and that is a value.
    const auto drained = static_cast<double>(after.live_bytes - before.live_bytes);
    const double most = world.to_root(Fold::max, drained);
    if (world.is_root()) {
        lines.write("heap_bytes", "B", {{"op", "alltoall"}}, {most});
    }
}

/// What the process took from the first heap to the second, as an object.
void report_init(const Lines& lines, const World& world, const Heap& before, const Heap& after) {
    const auto bytes = static_cast<double>(after.live_bytes - before.live_bytes);
    const auto allocations = static_cast<std::int64_t>(after.allocations - before.allocations);
    const double most_bytes = world.to_root(Fold::max, bytes);
    report(lines, world, "mpi_init", {most_bytes}, world.to_root(Fold::max, allocations));
}

} // namespace
} // namespace goodsyard

int main(int argc, char** argv) {
    using namespace goodsyard;
    const Heap before_init = heap_now();
    const Session session(argc, argv);
    const Heap after_init = heap_now();
    int repetitions = 33;
    int bytes = 800;
    const auto declare = [&](Options& options) {
        options.add("--repetitions", repetitions, "Objects of each kind; 0: none", {0, 1000});
        options.add("--bytes", bytes, "What each rank sends to each other, before memory is read again",
                    {1, 1 << 20});
    };
    const auto body = [&](const World& world) {
        const Lines lines({{"p", world.size()}, {"implementation", implementation()}});
        report_init(lines, world, before_init, after_init);
        for (std::size_t subject = 0; subject < constructor_names.size() && repetitions > 0; ++subject) {
            measure_constructor(lines, world, static_cast<Constructor>(subject), repetitions);
        }
        report_process(lines, world, "process");
        measure_talk(lines, world, bytes);
    };
    const std::string description =
        "Memory of MPI and of its communicators; writes Steelyard's line protocol.";
    return run(session, argc, argv, Program<World>{"memory", description, declare, body});
}
