#include "graph/input.hpp"

#include "graph/csr.hpp"
#include "graph/drawn_edges.hpp"
#include "graph/edge_file.hpp"
#include "graph/graph500.hpp"
#include "graph/lattice.hpp"
#include "graph/rmat.hpp"
#include "graph/uniform.hpp"
#include "harness/failure.hpp"
#include "harness/random.hpp"
#include "mpi/host_memory.hpp"

namespace goodsyard::graph {

namespace {

constexpr std::uint64_t roots_of_files = 7; ///< A stream of random numbers.

/// Raise SharedFailure where the rows of all ranks of a host are more than its memory.
void check_memory(const World& world, std::uint64_t vertices, std::uint64_t tuples) {
    fail_together(world, "the graph does not fit", Owners::refused(vertices, world.size()));
    require_memory(world, bytes_of_rank(vertices, tuples, world.size()), "the graph does",
                   "a smaller --scale");
}

template <class Generator>
Drawn drawn(const World& world, const Generator& generator) {
    check_memory(world, generator.vertices(), generator.edges());
    return {std::make_unique<DrawnEdges<Generator>>(generator, world),
            [generator](std::uint64_t index) { return generator.root(index); }};
}

Drawn from_file(const World& world, const Input& input) {
    auto edges = std::make_unique<FileEdges>(world, input.generator);
    const std::uint64_t vertices = edges->vertices();
    check_memory(world, vertices, world.all(Fold::sum, edges->own()));
    const Random random(input.seed, roots_of_files);
    return {std::move(edges),
            [random, vertices](std::uint64_t index) { return random.below(vertices, index); }};
}

} // namespace

Drawn make_input(const World& world, const Input& input) {
    constexpr std::uint64_t largest_of_rmat1 = 255;
    constexpr std::uint64_t largest_of_rmat2 = 100;
    const auto largest = [&](std::uint64_t of_paper) {
        return input.largest_weight > 0 ? input.largest_weight : of_paper;
    };
    if (input.generator == "graph500") {
        return drawn(world, Graph500(input.scale, input.seed, input.seed + 1));
    }
    if (input.generator == "rmat1") {
        return drawn(world, Rmat(rmat1, input.scale, largest(largest_of_rmat1), input.seed));
    }
    if (input.generator == "rmat2") {
        return drawn(world, Rmat(rmat2, input.scale, largest(largest_of_rmat2), input.seed));
    }
    if (input.generator == "uniform") {
        return drawn(world, Uniform(input.scale, largest(largest_of_rmat1), input.seed));
    }
    if (input.generator == "lattice") {
        return drawn(world, Lattice(input.scale, largest(largest_of_rmat1), input.seed));
    }
    return from_file(world, input);
}

} // namespace goodsyard::graph
