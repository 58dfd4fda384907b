// Ranks in one process, whose messages are delayed and overtake each other by a seed: races are found before
// they happen, without MPI.
#include <cstdio>
#include <goodsyard/containers.hpp>

using namespace goodsyard;
using namespace goodsyard::runtime;

int main() {
    const Parameters parameters = settled({.buffer_bytes = 64}); // Short messages: many orders.
    std::uint64_t words = 0;
    for (const int ranks : {1, 2, 3, 4, 7}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const SimulatedNetwork network(
                {.ranks = ranks, .seed = seed, .buffer_bytes = capacity_bytes(parameters)});
            network.run([&](const Team& team, Transport& transport) {
                Runtime runtime(transport, parameters);
                global::Messages messages(runtime);
                containers::CountingSet<std::string> counts(team, messages);
                for (int i = 0; i < 100; ++i) {
                    counts.async_insert("word " + std::to_string(i * (team.rank() + 1) % 10));
                }
                const std::uint64_t all = counts.count_all();
                if (all != 100 * static_cast<std::uint64_t>(ranks)) {
                    throw std::runtime_error("words were lost with seed " + std::to_string(seed));
                }
                words += team.is_root() ? all : 0;
            });
        }
    }
    std::printf("%ju words\n", std::uintmax_t{words});
}
