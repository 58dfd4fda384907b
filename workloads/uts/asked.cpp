#include "uts/asked.hpp"

#include <limits>
#include <vector>

#include "harness/failure.hpp"
#include "uts/named.hpp"

namespace goodsyard::uts {

namespace {

void declare_tree(Options& options, Asked& request) {
    std::vector<std::string> names;
    for (const NamedTree& tree : named_trees) {
        names.emplace_back(tree.name);
    }
    TreeParameters& tree = request.parameters;
    options.add("--tree", request.tree, "A tree by its name, in place of the options of one letter", names);
    options.add("-t,--type", tree.kind, "0 or binomial, 1 or geometric, 2 or hybrid, 3 or balanced",
                {{"0", Kind::binomial},
                 {"1", Kind::geometric},
                 {"2", Kind::hybrid},
                 {"3", Kind::balanced},
                 {"binomial", Kind::binomial},
                 {"geometric", Kind::geometric},
                 {"hybrid", Kind::hybrid},
                 {"balanced", Kind::balanced}});
    options.add("-a,--shape", tree.shape, "geometric: 0 or linear, 1 or expdec, 2 or cyclic, 3 or fixed",
                {{"0", Shape::linear},
                 {"1", Shape::expdec},
                 {"2", Shape::cyclic},
                 {"3", Shape::fixed},
                 {"linear", Shape::linear},
                 {"expdec", Shape::expdec},
                 {"cyclic", Shape::cyclic},
                 {"fixed", Shape::fixed}});
    options.add("-b,--root-children", tree.root_children, "Of the root, expected where it is geometric",
                {0.0, 1e7});
    options.add("-r,--root-seed", tree.seed, "Of the root", {0, std::numeric_limits<int>::max()});
    options.add("-q,--inner-probability", tree.inner_probability, "binomial: of having children", {0.0, 1.0});
    options.add("-m,--inner-children", tree.inner_children, "binomial: of a node that has any; at most 100",
                {0, 100});
    options.add("-d,--depth", tree.depth, "geometric, balanced: of the deepest nodes; cyclic: a period",
                {1, 1'000'000});
    options.add("-f,--shift", tree.shift, "hybrid: binomial from this fraction of the depth on", {0.0, 1.0});
    options.add("-g,--evaluations", tree.evaluations, "Times the state of each child is worked out",
                {1, 1'000'000});
}

/// Before the runtime settles what is left open. Thieves are heard by ranks that look for messages while they
/// work.
void settle_runtime(Asked& request) {
    runtime::Parameters& parameters = request.runtime;
    if (parameters.idle == runtime::Idle::wait) {
        throw UsageError("--idle wait: a rank that has work would hear no thief; yield or spin");
    }
    if (parameters.idle == runtime::Idle::standard) {
        parameters.idle = runtime::Idle::yield;
    }
    if (request.memory) {
        runtime::take_fibres(parameters, "--memory");
    }
}

void settle(Asked& request) {
    if (!request.tree.empty()) {
        TreeParameters plain;
        plain.evaluations = request.parameters.evaluations;
        if (request.parameters != plain) {
            throw UsageError("--tree " + request.tree +
                             " has its own -t -a -b -r -q -m -d -f; leave them out");
        }
        for (const NamedTree& tree : named_trees) {
            if (tree.name == request.tree) {
                request.parameters = tree.parameters;
                request.parameters.evaluations = plain.evaluations;
            }
        }
    }
    if (request.list_piece != 1 && request.list_piece != 3 && request.list_piece != 7 &&
        request.list_piece != 31) {
        throw UsageError("--list-piece " + std::to_string(request.list_piece) + ": 1, 3, 7 or 31");
    }
    if (const auto why = refused(request.parameters)) {
        throw UsageError(*why);
    }
}

} // namespace

void declare(Options& options, Asked& request) {
    declare_tree(options, request);
    options.add(
        "--sha", request.sha, "automatic: by the processor's instructions, where it has any",
        {{"automatic", Sha::automatic}, {"portable", Sha::portable}, {"instructions", Sha::instructions}});
    options.flag("--memory", request.memory,
                 "UTS-mem: build the tree in global arrays, then visit it by tasks that read them");
    options.add("--list-piece", request.list_piece,
                "--memory: children of a node that are read at once: 1, 3, 7, 31", {1, 31});
    options.add(
        "--most-nodes", request.most_nodes,
        "A rank that has visited more, those it has still to visit included, ends all: a tree may have "
        "no end",
        {1, std::numeric_limits<std::uint64_t>::max()});
    options.add("--repetitions", request.repetitions, "Of the traversal", {1, 100'000});
    options.add(
        "--compute", request.compute,
        "What counted operations take on a simulated machine: off (nothing), fixed (1 ns), or calibrated",
        {{"off", ComputeMode::off}, {"fixed", ComputeMode::fixed}, {"calibrated", ComputeMode::calibrated}});
    options.add("--rates", request.rates, "File that `calibrate` wrote, in place of the source's own");
    options.add(
        "--compute-times", request.compute_times,
        "Each counted operation takes so many times as long: a slower core, caches that miss, a heavier "
        "runtime",
        {0.001, 1e6});
    options.check([&request] { settle_runtime(request); });
    runtime::declare(options, request.runtime);
    options.add("-c", request.runtime.steal_chunk, "As --steal-chunk", {0, 1U << 30U});
    options.add("-i", request.runtime.poll_interval, "As --poll-interval", {1, 1U << 30U});
    options.add("--seed", request.seed, "Of the victims");
    options.check([&request] { settle(request); });
}

} // namespace goodsyard::uts
