// The runtime alone: what an item, and what a switch of tasks costs. README.md says what is printed.

#include "global/reads.hpp"
#include "mpi/entry.hpp"
#include "runtime/parameters.hpp"
#include "runtime/spawns.hpp"
#include "runtime/switches.hpp"
#include "runtime/updates.hpp"

using namespace goodsyard;

int main(int argc, char** argv) {
    const Session session(argc, argv);
    runtime::Parameters parameters;
    parameters.active_tasks = 65536; // Tasks are what is measured, as many as are asked for.
    runtime::Updates updates;
    runtime::Switches switches;
    global::Reads reads;
    Family<MpiContext> family;
    family.name = "runtime";
    family.description = "An active-message runtime; writes Steelyard's line protocol.";
    family.is_seeded = true;
    family.computes = true;
    family.declare = [&](Options& options) {
        runtime::declare(options, parameters);
        options.add("--updates", updates.per_rank, "updates, gather, permutation: items of each rank",
                    {1, 1U << 30U});
        options.add("--table-bits", updates.table_bits,
                    "updates, gather, reads: entries of a rank, as a power of 2", {0, 30});
        options.add("--live", switches.tasks, "switches, spawns: tasks", {1, 1U << 24U});
        options.add("--rounds", switches.rounds,
                    "switches, spawns: how often each goes on, or as many are begun", {1, 1U << 30U});
        options.add("--in-flight", reads.in_flight, "reads: tasks of a rank that read", {1, 1U << 24U});
        options.add("--reads", reads.of_task, "reads: of a task, one after the other", {1, 1U << 30U});
    };
    family.operations = {
        {"updates", [&](const MpiContext& c) { return runtime::make_updates(c, parameters, updates); }},
        {"gather", [&](const MpiContext& c) { return runtime::make_gather(c, parameters, updates); }},
        {"permutation",
         [&](const MpiContext& c) { return runtime::make_permutation(c, parameters, updates); }},
        {"switches", [&](const MpiContext& c) { return runtime::make_switches(c, parameters, switches); }},
        {"spawns", [&](const MpiContext& c) { return runtime::make_spawns(c, parameters, switches); }},
        {"reads", [&](const MpiContext& c) {
             reads.table_bits = updates.table_bits;
             return global::make_reads(c, parameters, reads);
         }}};
    return run(session, argc, argv, std::move(family));
}
