// Tasks: a tree that grows while it is counted. Its nodes are items that any rank may work on: a rank without
// any steals from others.
#include <cstdio>
#include <goodsyard/mpi.hpp>

using namespace goodsyard;
using namespace goodsyard::runtime;

namespace {

struct Node {
    std::uint64_t number; ///< Unique; the children of a node follow from it.
    int depth;
};

/// Children of a node: 0 to 4, drawn, and none at the greatest depth.
int children_of(const Node& node, int depth) {
    return node.depth == depth ? 0 : static_cast<int>(mix64(node.number) % 5);
}

/// Nodes of the tree, of all ranks. Collective.
std::uint64_t count(Runtime& runtime, int depth) {
    std::uint64_t visited = 0;
    Stealable<Node> nodes(runtime, all_ranks(runtime));
    nodes.on_turn([&](const Node& node) {
        ++visited;
        for (int i = 0; i < children_of(node, depth); ++i) {
            nodes.add({mix64(node.number + static_cast<std::uint64_t>(i) + 1), node.depth + 1});
        }
    });
    if (runtime.rank() == 0) {
        nodes.add({1, 0});
    }
    return runtime.epoch([&] { return nodes.step(); }, [&] { return Agreed{.sum = visited}; }).sum;
}

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    Parameters parameters;
    int depth = 14;
    Program<World> program{.name = "tree", .description = "Counts the nodes of a tree that grows."};
    program.declare = [&](Options& options) {
        declare(options, parameters);
        options.add("--depth", depth, "Greatest depth of a node", {0, 40});
    };
    program.body = [&](const World& world) {
        const auto transport = make_transport(world, parameters);
        Runtime runtime(*transport, parameters);
        const std::uint64_t nodes = count(runtime, depth);
        if (world.is_root()) {
            std::printf("%ju nodes\n", std::uintmax_t{nodes});
        }
    };
    return run(session, argc, argv, program);
}
