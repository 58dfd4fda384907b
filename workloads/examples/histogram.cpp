// Active messages: every rank draws numbers, and sends each to the rank that has its bucket.
#include <cstdio>
#include <goodsyard/mpi.hpp>

using namespace goodsyard;
using namespace goodsyard::runtime;

namespace {

/// Counts of this rank's buckets, which are dealt to ranks in turn. Collective.
std::vector<std::uint64_t> count(Runtime& runtime, std::uint64_t numbers, std::uint64_t buckets) {
    const auto ranks = static_cast<std::uint64_t>(runtime.size());
    std::vector<std::uint64_t> counts(buckets / ranks + 1);
    Channel<std::uint64_t> channel(runtime);
    channel.on_receipt([&](std::uint64_t place) { counts[place]++; });
    const Random random(1);
    const std::uint64_t first = static_cast<std::uint64_t>(runtime.rank()) * numbers;
    // Between two pieces of 1,000 numbers the rank handles what has arrived.
    runtime.epoch_over(numbers, 1000, [&](std::size_t i) {
        const std::uint64_t bucket = random.below(buckets, first + i);
        channel.send(static_cast<int>(bucket % ranks), bucket / ranks);
    });
    return counts;
}

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    Parameters parameters;
    std::uint64_t numbers = 100'000, buckets = 1000;
    Program<World> program{.name = "histogram", .description = "Counts random numbers."};
    program.declare = [&](Options& options) {
        declare(options, parameters);
        options.add("--numbers", numbers, "Numbers of a rank");
        options.add("--buckets", buckets, "Buckets of all ranks", {1, 1U << 30U});
    };
    program.body = [&](const World& world) {
        const auto transport = make_transport(world, parameters);
        Runtime runtime(*transport, parameters);
        std::uint64_t local = 0, largest = 0;
        for (const std::uint64_t of_bucket : count(runtime, numbers, buckets)) {
            local += of_bucket;
            largest = std::max(largest, of_bucket);
        }
        const std::uint64_t all = world.all(Fold::sum, local), most = world.all(Fold::max, largest);
        if (world.is_root()) {
            std::printf("%ju numbers, at most %ju in a bucket\n", std::uintmax_t{all}, std::uintmax_t{most});
        }
    };
    return run(session, argc, argv, program);
}
