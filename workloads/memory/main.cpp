// Memory that MPI takes: by MPI_Init, and by each communicator or window, as the maximum over ranks.
//
// Live heap is counted at every allocation, which holds for any number of ranks a core. A library that
// allocates elsewhere shows no allocation at all in a constructor: that is told as `not_measurable`, never as
// 0.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/core.h>
#include <optional>
#include <string>
#include <vector>

#include "memory/constructor.hpp"
#include "memory/growth.hpp"
#include "memory/heap.hpp"
#include "memory/process.hpp"
#include "mpi/abort.hpp"
#include "mpi/check.hpp"
#include "mpi/implementation.hpp"
#include "protocol/lines.hpp"

namespace workloads {
namespace {

double maximum(double own, const World& world) {
    double largest = 0;
    check(MPI_Reduce(&own, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, world.handle()), "MPI_Reduce");
    return largest;
}

void report(const Lines& lines, const World& world, const std::string& op, const std::vector<double>& bytes,
            long long allocations) {
    if (!world.is_root())
        return;
    const Labels labels = {{"op", op}};
    const std::optional<Growth> found = growth(bytes, allocations);
    if (!found) {
        lines.write("not_measurable", "", labels, {1});
        fmt::print(stderr, "{:<12}   not measurable: this library allocates outside malloc\n", op);
        return;
    }
    lines.write("heap_bytes", "B", labels, bytes);
    lines.write("heap_mean_bytes", "B", labels, {found->mean_bytes});
    lines.write("heap_jump_bytes", "B", labels, {found->jump_bytes});
    lines.write("heap_jumps", "", labels, {static_cast<double>(found->jumps)});
    fmt::print(stderr, "{:<12}{:>12.0f} B, median{:>10.0f} B, {} jumps, of {:.0f} B at most\n", op,
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
    for (const double bytes : own)
        largest.push_back(maximum(bytes, world));
    const auto most_allocations = static_cast<long long>(maximum(static_cast<double>(allocations), world));
    const double most_shared = maximum(shared_each, world);
    report(lines, world, op, largest, most_allocations);
    if (world.is_root() && shared_before >= 0)
        lines.write("shared_bytes", "B", {{"op", op}}, {most_shared});
}

void report_process(const Lines& lines, const World& world) {
    const Resident own = resident_now();
    const double resident = maximum(own.resident_bytes, world);
    const double proportional = maximum(own.proportional_bytes, world);
    const double unshared = maximum(own.private_bytes, world);
    const double shared = maximum(shared_resident_now(), world);
    if (!world.is_root())
        return;
    const Labels labels = {{"op", "process"}};
    if (resident < 0) {
        lines.write("not_measurable", "", labels, {1});
        return;
    }
    lines.write("resident_bytes", "B", labels, {resident});
    lines.write("proportional_bytes", "B", labels, {proportional});
    lines.write("private_bytes", "B", labels, {unshared});
    lines.write("shared_bytes", "B", labels, {shared});
    fmt::print(stderr, "{:<12}{:>14.0f} B resident, {:.0f} B of it private\n", "process", resident, unshared);
}

int run(int argc, char** argv, const Heap& before_init, const Heap& after_init) {
    const World world;
    int repetitions = 33;
    int code = -1;
    if (world.is_root()) {
        CLI::App app{"Memory of MPI and of its communicators; writes Steelyard's line protocol.", "memory"};
        app.add_option("--repetitions", repetitions, "Objects of each kind")->check(CLI::Range(1, 1000));
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            code = app.exit(error) == 0 ? 0 : 2;
        }
    }
    check(MPI_Bcast(&code, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
    check(MPI_Bcast(&repetitions, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
    if (code >= 0)
        return code;
    const Lines lines({{"p", world.size()}, {"implementation", implementation()}});
    const auto by_init = static_cast<double>(after_init.live_bytes - before_init.live_bytes);
    const auto allocations = static_cast<double>(after_init.allocations - before_init.allocations);
    report(lines, world, "mpi_init", {maximum(by_init, world)},
           static_cast<long long>(maximum(allocations, world)));
    for (const Constructor what :
         {Constructor::comm_create, Constructor::comm_dup, Constructor::win_create, Constructor::cart_create})
        measure_constructor(lines, world, what, repetitions);
    report_process(lines, world);
    return 0;
}

} // namespace
} // namespace workloads

int main(int argc, char** argv) {
    const workloads::Heap before_init = workloads::heap_now();
    const workloads::Session session(argc, argv);
    const workloads::Heap after_init = workloads::heap_now();
    try {
        return workloads::run(argc, argv, before_init, after_init);
    } catch (const std::exception& error) {
        fmt::print(stderr, "memory: {}\n", error.what());
        workloads::abort_all();
    }
}
