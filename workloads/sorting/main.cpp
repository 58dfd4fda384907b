// Parallel sorts: the time of each and of its phases, what these did, and how even the result is. README.md
// says what is printed.

#include "harness/failure.hpp"
#include "mpi/entry.hpp"
#include "sorting/local_sort.hpp"
#include "sorting/names.hpp"
#include "sorting/operation.hpp"

namespace {

using namespace goodsyard;
using namespace goodsyard::sorting;

void declare(Options& options, Asked& request) {
    Parameters& parameters = request.parameters;
    options.add("--algorithm", parameters.algorithm, "sample, histogram, exact (splitting), radix, or mini",
                algorithms);
    options.add("--distribution", request.distribution,
                "Of keys; few: 8 different ones, pieces: 16 sorted runs in another order", distributions);
    options.add("--keys-per-rank", request.keys_per_rank, "Keys of all ranks, by the number of ranks",
                {1, 1U << 31U});
    options.add("--blocks", request.blocks, "How they are spread at first; holes: odd ranks have none",
                block_kinds);
    options.add("--type", request.type, "What keys are", key_types);
    options.flag("--payload", request.payload, "Keys carry 64 bits more");
    options.add("--keys", request.file, "A file with a key a line, in place of drawn ones");
    options.add("--output", request.output,
                "File for the sorted keys, a line each; in NumPy's format where it ends with .npy");
    options.add("--local", parameters.local, "Sort of the block of a rank", local_sorts);
    options.add("--schedule", parameters.schedule, "exact: splitters together, or one after the other",
                schedules);
    options.add("--exchange", parameters.exchange, "radix: one collective operation, or a message a digit",
                exchanges);
    options.add("--digit-bits", parameters.digit_bits, "radix: bits of a digit: 1, 2, 4, 8 or 16", {1, 16});
    options.add("--scan", parameters.scan,
                "histogram, radix: sums over earlier ranks in log2 p rounds, or by the library's MPI_Exscan",
                scans);
    options.add("--groups", parameters.groups,
                "mini: trees on ranges of ranks, or comm_split, which exists to show what it does",
                groupings);
    options.add("--epsilon", parameters.epsilon,
                "histogram: blocks are larger than the mean by so much, at most", {0.0, 1.0});
    options.add("--probes", parameters.probes_per_splitter, "histogram: probes of each splitter in a round",
                {1, 1000});
    options.check([&request] {
        const LocalSort local = request.parameters.local;
        if (!is_built_in(local)) {
            throw UsageError("--local " + name_of(local_sorts, local) +
                             ": built without it; apt-get install " + package_of(local) +
                             ", then configure and build again");
        }
        if (request.payload && local == LocalSort::vqsort) {
            throw UsageError("--local vqsort sorts keys without --payload; std, pdq or ips4o");
        }
        if (64 % request.parameters.digit_bits != 0) {
            throw UsageError("--digit-bits " + std::to_string(request.parameters.digit_bits) +
                             " does not divide 64");
        }
        if (request.parameters.algorithm == Algorithm::mini && request.file.empty() &&
            (request.keys_per_rank != 1 || request.blocks != Blocks::even)) {
            throw UsageError(
                "--algorithm mini sorts exactly one key a rank; --keys-per-rank 1 --blocks even");
        }
    });
}

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    Asked request;
    Family<MpiContext> family;
    family.name = "psort";
    family.description = "Parallel sorts, phase by phase; writes Steelyard's line protocol.";
    family.is_seeded = true;
    family.computes = true;
    family.declare = [&](Options& options) { declare(options, request); };
    family.operations = {
        {"sort", [&](const MpiContext& context) { return make_operation(context, request); }}};
    return run(session, argc, argv, std::move(family));
}
