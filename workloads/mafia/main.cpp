// mafia generate: points with planted clusters. mafia cluster: finds the clusters in them, phase by phase.
// README.md says what is printed.

#include <cstdio>
#include <string>

#include "harness/entry.hpp"
#include "harness/failure.hpp"
#include "harness/program.hpp"
#include "mafia/operation.hpp"
#include "mafia/points.hpp"

namespace {

using namespace goodsyard;
using namespace goodsyard::mafia;

void declare_plan(Options& options, Plan& plan) {
    options.add("--points", plan.points, "Points", {1, 1U << 30U});
    options.add("--dimensions", plan.dimensions, "Dimensions of a point", {1, 1000});
    options.add("--clusters", plan.clusters, "Clusters planted", {1, 1000});
    options.add("--cluster-dimensions", plan.cluster_dimensions, "Dimensions of a cluster", {1, 1000});
    options.add("--fraction", plan.fraction, "Fraction of the points that belong to a cluster", {0.0, 1.0});
    options.add("--shared", plan.shared, "Dimensions in which all clusters overlap", {0, 1000});
    options.add("--shift", plan.shift, "How far a box lies beyond the one before in these, in sides",
                {0.0, 1.0});
}

void declare_clustering(Options& options, Asked& request) {
    options.add("--data", request.file,
                "A file with a point a line; none: points are drawn as `generate` draws them");
    options.add(
        "--output", request.output,
        "File for the bounding boxes of clusters, a line a dimension; in NumPy's format where it ends "
        "with .npy");
    options.add("--members", request.members,
                "The same for the points of clusters, a line a point and cluster");
    options.add("--threads", request.threads, "Threads of OpenMP", {1, 1024});
    options.add("--join", request.variants.join,
                "gen and unjoin: by common subsequences (index), or naive: pairs",
                {{"index", Join::index}, {"pairs", Join::pairs}});
    options.add("--dedup", request.variants.dedup, "A hash set, an ordered set (tree), or naive: pairs",
                {{"hash", Dedup::hash}, {"tree", Dedup::tree}, {"pairs", Dedup::pairs}});
    options.add("--counting", request.variants.counting, "pcount: AND of bitmaps, or naive: every point",
                {{"bitmaps", Counting::bitmaps}, {"points", Counting::points}});
    options.add("--alpha", request.grid.alpha,
                "A window is dense with so many times what uniform points give", {1e-6, 1e6});
    options.add("--beta", request.grid.beta, "Windows merge that differ by so much, relative", {0.0, 1.0});
    options.add("--least-recall", request.least_recall,
                "Fail unless every planted cluster is found with so many of its points", {0.0, 1.0});
    options.add("--least-precision", request.least_precision,
                "Fail unless, of the points of each cluster found, so many were planted", {0.0, 1.0});
    options.add("--bins", request.grid.least_bins, "Bins of a dimension, at least", {1, 10'000'000});
    options.add("--uniform-windows", request.grid.uniform_windows, "Windows of a dimension where all merged",
                {1, 10'000});
    options.add("--most-windows", request.grid.most_windows, "Windows of a dimension before merging",
                {1, 10'000});
}

int generate(int argc, const char* const* argv) {
    Asked request;
    const auto declare = [&](Options& options) {
        options.add("--data", request.file, "File to write");
        declare_plan(options, request.plan);
        options.add("--seed", request.plan.seed, "Of boxes and points");
        options.check([&] {
            if (request.file.empty()) {
                throw UsageError("no file to write; --data FILE");
            }
        });
    };
    const auto body = [&](const Alone&) {
        const std::vector<Box> boxes = draw_boxes(request.plan);
        write_points(request.file, draw_points(request.plan, boxes), boxes);
    };
    return run(argc, argv, Program<Alone>{"mafia generate", "Points with planted clusters.", declare, body});
}

int cluster(int argc, const char* const* argv) {
    Asked request;
    Family<Context> family;
    family.name = "mafia cluster";
    family.description = "Clusters in subspaces, phase by phase; writes Steelyard's line protocol.";
    family.is_seeded = true;
    family.settings.warmup = 1;
    family.declare = [&](Options& options) {
        declare_plan(options, request.plan);
        declare_clustering(options, request);
    };
    family.operations = {
        {"cluster", [&](const Context& context) { return make_operation(context, request); }}};
    return run(argc, argv, std::move(family));
}

} // namespace

int main(int argc, char** argv) {
    const std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "generate") {
        return generate(argc - 1, argv + 1);
    }
    if (verb == "cluster") {
        return cluster(argc - 1, argv + 1);
    }
    std::fprintf(verb == "--help" ? stdout : stderr,
                 "usage: mafia generate|cluster [OPTION ...]; mafia cluster --help\n");
    return verb == "--help" ? 0 : 2;
}
