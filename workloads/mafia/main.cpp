// mafia generate: points with planted clusters. mafia cluster: finds clusters in them, and reports what each
// phase took and did, as lines of the protocol.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <string>
#include <sys/resource.h>

#include "mafia/clustering.hpp"
#include "mafia/input_error.hpp"
#include "mafia/planted.hpp"
#include "mafia/recovery.hpp"
#include "protocol/lines.hpp"

namespace {

using namespace workloads;
using namespace workloads::mafia;

struct Asked {
    Plan plan;
    GridOptions grid;
    Variants variants;
    std::string file; ///< written by generate; read by cluster, or empty: points are drawn
    bool generate = false;
    bool quiet = false;
};

void add_plan(CLI::App& app, Plan& plan) {
    app.add_option("-n,--points", plan.points, "Points");
    app.add_option("-d,--dimensions", plan.dimensions, "Dimensions of a point");
    app.add_option("-m,--clusters", plan.clusters, "Clusters planted");
    app.add_option("-k,--cluster-dimensions", plan.cluster_dimensions, "Dimensions of a cluster");
    app.add_option("--fraction", plan.fraction, "Fraction of the points that belong to a cluster")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", plan.seed, "Seed of boxes and points");
}

void add_clustering(CLI::App& app, Asked& asked) {
    const std::map<std::string, Join> joins = {{"index", Join::index}, {"pairs", Join::pairs}};
    const std::map<std::string, Dedup> dedups = {
        {"hash", Dedup::hash}, {"tree", Dedup::tree}, {"pairs", Dedup::pairs}};
    const std::map<std::string, Counting> countings = {{"bitmaps", Counting::bitmaps},
                                                       {"points", Counting::points}};
    app.add_option("--join", asked.variants.join,
                   "gen and unjoin: by common subsequences (index), or naive: pairs")
        ->transform(CLI::CheckedTransformer(joins));
    app.add_option("--dedup", asked.variants.dedup, "A hash set, an ordered set (tree), or naive: pairs")
        ->transform(CLI::CheckedTransformer(dedups));
    app.add_option("--counting", asked.variants.counting, "pcount: AND of bitmaps, or naive: every point")
        ->transform(CLI::CheckedTransformer(countings));
    app.add_option("--alpha", asked.grid.alpha,
                   "A window is dense with so many times what uniform points give")
        ->check(CLI::PositiveNumber);
    app.add_option("--beta", asked.grid.beta, "Windows merge that differ by so much, relative")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--bins", asked.grid.least_bins, "Bins of a dimension, at least")
        ->check(CLI::Range(1, 10'000'000));
    app.add_option("--uniform-windows", asked.grid.uniform_windows, "Windows of a dimension where all merged")
        ->check(CLI::Range(1, 10'000));
    app.add_option("--most-windows", asked.grid.most_windows, "Windows of a dimension before merging")
        ->check(CLI::Range(1, 10'000));
    app.add_flag("--quiet", asked.quiet, "Do not list the clusters on stderr");
}

void report(const Clustering& found, const std::vector<Recovered>& recovered, const Labels& labels) {
    const Lines lines(labels);
    for (std::size_t phase = 0; phase < phase_names.size(); ++phase)
        lines.write("phase_s", "s", {{"phase", phase_names[phase]}}, {found.seconds[phase]});
    const auto count = [&](const char* metric, std::uint64_t value) {
        lines.write(metric, "", Labels::object(), {static_cast<double>(value)});
    };
    const Counts& counts = found.counts;
    count("candidates", counts.candidates);
    count("dense_units", counts.dense);
    count("gen_pairs", counts.pairs);
    count("gen_merges", counts.merges);
    count("dedup_comparisons", counts.comparisons);
    count("pcount_words", counts.words);
    count("pcount_coordinates", counts.coordinates);
    count("unjoin_subsequences", counts.subsequences);
    count("unjoin_inclusions", counts.inclusions);
    count("clusters", found.clusters.size());
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    lines.write("peak_bytes", "B", Labels::object(), {static_cast<double>(usage.ru_maxrss) * 1024});
    if (recovered.empty())
        return;
    double number = 0;
    double recall = 1;
    double precision = 1;
    double edge = 0;
    for (const Recovered& each : recovered) {
        number += each.found ? 1 : 0;
        recall = std::min(recall, each.recall);
        precision = std::min(precision, each.precision);
        edge = std::max(edge, each.largest_edge);
    }
    lines.write("planted_found", "", Labels::object(), {number});
    lines.write("recall", "", Labels::object(), {recall});
    lines.write("precision", "", Labels::object(), {precision});
    lines.write("largest_edge", "", Labels::object(), {edge});
}

void list(const Clustering& found) {
    for (const Cluster& each : found.clusters) {
        fmt::print(stderr, "{} points in {} dimensions:", each.count, each.dimensions.size());
        for (std::size_t i = 0; i < each.dimensions.size(); ++i)
            fmt::print(stderr, " {}:{:.2f}..{:.2f}", each.dimensions[i], each.lower[i], each.upper[i]);
        fmt::print(stderr, "\n");
    }
}

void generate(const Asked& asked) {
    const std::vector<Box> boxes = draw_boxes(asked.plan);
    write_points(asked.file, draw_points(asked.plan, boxes), boxes);
}

void cluster_points(const Asked& asked) {
    DataFile data;
    if (asked.file.empty()) {
        data.planted = draw_boxes(asked.plan);
        data.points = draw_points(asked.plan, data.planted);
    } else {
        data = read_points(asked.file);
    }
    const Clustering found = cluster(data.points, asked.grid, asked.variants);
    Labels labels = {{"n", data.points.count}, {"d", data.points.dimensions}};
    if (!data.planted.empty())
        labels["k"] = data.planted.front().dimensions.size();
    report(found, compare(data.planted, found.clusters, data.points), labels);
    if (!asked.quiet)
        list(found);
}

/// The exit code where the program is to end now, and nothing otherwise.
std::optional<int> parse(int argc, char** argv, Asked& asked) {
    CLI::App app{"MAFIA: clusters in subspaces, by merging adaptive intervals", "mafia"};
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all");
    CLI::App* const generating =
        app.add_subcommand("generate", "Write points with planted clusters to a file");
    generating->add_option("file", asked.file, "File to write")->required();
    add_plan(*generating, asked.plan);
    CLI::App* const clustering = app.add_subcommand(
        "cluster", "Find the clusters of a file, or, without one, of points drawn as `generate` draws them");
    clustering->add_option("file", asked.file, "File to read");
    add_plan(*clustering, asked.plan);
    add_clustering(*clustering, asked);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : 2;
    }
    asked.generate = generating->parsed();
    return std::nullopt;
}

} // namespace

int main(int argc, char** argv) {
    Asked asked;
    if (const auto code = parse(argc, argv, asked))
        return *code;
    try {
        asked.generate ? generate(asked) : cluster_points(asked);
    } catch (const InputError& error) {
        fmt::print(stderr, "error: {}\n\nhint: {}\n", error.what(), error.hint());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 1;
    }
    return 0;
}
