// Memory that MPI takes: by MPI_Init, and by each communicator or window, as the maximum over ranks.
//
// Live heap is counted at every allocation, which holds for any number of ranks a core. A library that
// allocates elsewhere shows no allocation at all in a constructor: that is told as `not_measurable`, never as
// 0.

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "memory/constructor.hpp"
#include "memory/growth.hpp"
#include "memory/heap.hpp"
#include "memory/process.hpp"
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
    const std::optional<Growth> found = growth(bytes, allocations);
    if (!found) {
        lines.write("not_measurable", "", labels, {1});
        std::fprintf(stderr, "%-12s   not measurable: this library allocates outside malloc\n", op.c_str());
        return;
    }
    lines.write("heap_bytes", "B", labels, bytes);
    lines.write("heap_mean_bytes", "B", labels, {found->mean_bytes});
    lines.write("heap_jump_bytes", "B", labels, {found->jump_bytes});
    lines.write("heap_jumps", "", labels, {static_cast<double>(found->jumps)});
    std::fprintf(stderr, "%-12s%12.0f B, median%10.0f B, %d jumps, of %.0f B at most\n", op.c_str(),
                 found->mean_bytes, found->median_bytes, found->jumps, found->jump_bytes);
}

void measure_constructor(const Lines& lines, const World& world, Constructor what, int repetitions) {
    const std::string op(constructor_names[static_cast<std::size_t>(what)]);
    double shared = 0;
    std::vector<Constructed> kept;
    kept.reserve(static_cast<std::size_t>(repetitions));
    std::vector<double> own(static_cast<std::size_t>(repetitions));
    long long allocations = 0;
    const double shared_before = shared_resident_now();
    for (double& bytes : own) {
        const Heap before = heap_now();
        kept.push_back(construct(what, world, shared));
        const Heap after = heap_now();
        bytes = static_cast<double>(after.live_bytes - before.live_bytes);
        allocations += after.allocations - before.allocations;
    }
    const double shared_each = (shared_resident_now() - shared_before) / repetitions;
    std::vector<double> largest;
    world.to_root(Fold::max, own, largest);
    const auto most_allocations = world.to_root(Fold::max, static_cast<std::int64_t>(allocations));
    const double most_shared = world.to_root(Fold::max, shared_each);
    report(lines, world, op, largest, most_allocations);
    if (world.is_root() && shared_before >= 0) {
        lines.write("shared_bytes", "B", {{"op", op}}, {most_shared});
    }
}

void report_process(const Lines& lines, const World& world) {
    const Resident own = resident_now();
    const double resident = world.to_root(Fold::max, own.resident_bytes);
    const double proportional = world.to_root(Fold::max, own.proportional_bytes);
    const double unshared = world.to_root(Fold::max, own.private_bytes);
    const double shared = world.to_root(Fold::max, shared_resident_now());
    if (!world.is_root()) {
        return;
    }
    const Labels labels = {{"op", "process"}};
    if (resident < 0) {
        lines.write("not_measurable", "", labels, {1});
        return;
    }
    lines.write("resident_bytes", "B", labels, {resident});
    lines.write("proportional_bytes", "B", labels, {proportional});
    lines.write("private_bytes", "B", labels, {unshared});
    lines.write("shared_bytes", "B", labels, {shared});
    std::fprintf(stderr, "%-12s%14.0f B resident, %.0f B of it private\n", "process", resident, unshared);
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
    const auto declare = [&](Options& options) {
        options.add("--repetitions", repetitions, "Objects of each kind", {1, 1000});
    };
    const auto body = [&](const World& world) {
        const Lines lines({{"p", world.size()}, {"implementation", implementation()}});
        report_init(lines, world, before_init, after_init);
        for (std::size_t what = 0; what < constructor_names.size(); what++) {
            measure_constructor(lines, world, static_cast<Constructor>(what), repetitions);
        }
        report_process(lines, world);
    };
    const std::string description =
        "Memory of MPI and of its communicators; writes Steelyard's line protocol.";
    return run(session, argc, argv, Program<World>{"memory", description, declare, body});
}
