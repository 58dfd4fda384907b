// A global array with delegates: tasks walk along chains of links, and wait for other ranks at each step
// while the tasks of other chains go on.
#include <cstdio>
#include <goodsyard/global.hpp>
#include <goodsyard/mpi.hpp>

using namespace goodsyard;
using namespace goodsyard::global;

namespace {

/// The sum over all elements of the steps from it to element 0. Element i is linked to one below it.
std::uint64_t walk(Runtime& runtime, const World& world, std::uint64_t size) {
    Delegates delegates(runtime);
    GlobalArray<std::uint64_t> links(world, size, Dealing::cyclic), steps(world, 1);
    forall(runtime, links, [](std::uint64_t i, std::uint64_t& link) { link = i == 0 ? 0 : mix64(i) % i; });
    forall(
        runtime, size,
        [&](std::uint64_t start) {
            for (std::uint64_t at = start; at > 0;) {
                at = delegates.read(links[at]); // Waits for the owner of the element.
                delegates.post(steps[0], [](std::uint64_t& all) { all++; });
            }
        },
        1); // A task a chain.
    std::uint64_t all = steps.own().empty() ? 0 : steps.own()[0];
    world.broadcast(all);
    return all;
}

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    runtime::Parameters parameters;
    std::uint64_t size = 2000;
    Program<World> program{.name = "chains", .description = "Walks along chains of a global array."};
    program.declare = [&](Options& options) {
        take_fibres(parameters, "chains"); // Tasks that wait.
        declare(options, parameters);
        options.add("--size", size, "Elements", {1, 1U << 24U});
    };
    program.body = [&](const World& world) {
        const auto transport = make_transport(world, parameters);
        Runtime runtime(*transport, parameters);
        const std::uint64_t steps = walk(runtime, world, size);
        if (world.is_root()) {
            std::printf("%ju steps\n", std::uintmax_t{steps});
        }
    };
    return run(session, argc, argv, program);
}
