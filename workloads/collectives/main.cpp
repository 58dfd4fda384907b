// Latency of MPI collectives: for each operation the maximum over ranks of end - start, from starts that all
// ranks make together. README.md says what is printed.

#include "collectives/operation.hpp"
#include "harness/failure.hpp"
#include "mpi/entry.hpp"

int main(int argc, char** argv) {
    using namespace goodsyard;
    const Session session(argc, argv);
    CollectiveOptions local;
    Family<MpiContext> family;
    family.name = "collectives";
    family.description =
        "Latency of MPI collectives, from synchronised starts; writes Steelyard's line protocol.";
    family.quantity = "latency";
    family.operations = collective_operations(local);
    family.settings.ops = usual_operations;
    family.declare = [&](Options& options) {
        options.add("--bytes", local.bytes, "Message of one rank; a multiple of 8", {8, 1 << 28});
        options.add(
            "--most-ranks", local.most_ranks,
            "Leave gather, allgather and alltoall, whose buffers grow with the ranks, out above so many; "
            "0: never",
            {0, 1 << 20});
        options.check([&] {
            if (local.bytes % 8 != 0) {
                throw UsageError("--bytes " + std::to_string(local.bytes) + " is not a multiple of 8");
            }
        });
    };
    return run(session, argc, argv, std::move(family));
}
