#include "mafia/operation.hpp"

#include <algorithm>
#include <optional>
#include <sys/resource.h>
#include <utility>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "harness/failure.hpp"
#include "mafia/cluster_file.hpp"
#include "mafia/clustering.hpp"
#include "mafia/points.hpp"
#include "mafia/recovery.hpp"

namespace goodsyard::mafia {

namespace {

/// The largest resident set of this process so far.
double peak_bytes() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

class ClusterOperation final : public Operation {
  public:
    ClusterOperation(const Context& context, const Asked& request, DataFile data)
        : phases_(context.clock), mafia_(phases_), asked_(request), data_(std::move(data)) {}

    void run() override { found_ = mafia_.cluster(data_.points, asked_.grid, asked_.variants); }

    /// Every cluster has the points that lie in one of its units, as their coordinates say; and every planted
    /// cluster is found as well as is asked for.
    std::optional<std::string> wrong() override {
        for (std::size_t c = 0; c < found_.clusters.size(); ++c) {
            const std::int64_t inside = count_inside(found_.clusters[c]);
            if (inside != found_.clusters[c].count) {
                return "cluster " + std::to_string(c) + " has " + std::to_string(found_.clusters[c].count) +
                       " points, and " + std::to_string(inside) + " lie in it";
            }
        }
        const Recovered worst = recover().second;
        if (worst.recall < asked_.least_recall || worst.precision < asked_.least_precision) {
            return "planted clusters have a recall of " + std::to_string(worst.recall) +
                   " and a precision of " + std::to_string(worst.precision) + " at worst";
        }
        return std::nullopt;
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] Labels labels() const override {
        Labels all = {{"n", static_cast<std::int64_t>(data_.points.count)},
                      {"d", static_cast<std::int64_t>(data_.points.dimensions)},
                      {"m", static_cast<std::int64_t>(data_.planted.size())}};
        if (!data_.planted.empty()) {
            all.set("k", static_cast<std::int64_t>(data_.planted.front().dimensions.size()));
        }
        return all;
    }
    [[nodiscard]] Phases* phases() override { return &phases_; }
    [[nodiscard]] std::vector<Fact> facts() override {
        if (!asked_.output.empty()) {
            write_clusters(found_.clusters, asked_.output);
        }
        if (!asked_.members.empty()) {
            write_members(found_.clusters, data_.points.count, asked_.members);
        }
        const auto all = [](std::uint64_t value) { return static_cast<double>(value); };
        std::vector<Fact> facts = {{"candidates", "", all(found_.counts.candidates)},
                                   {"dense_units", "", all(found_.counts.dense)},
                                   {"merges", "", all(found_.counts.merges)},
                                   {"clusters", "", all(found_.clusters.size())},
                                   {"peak_bytes", "B", peak_bytes()}};
        if (!data_.planted.empty()) {
            add_recovery(facts);
        }
        return facts;
    }

  private:
    [[nodiscard]] std::int64_t count_inside(const Cluster& cluster) const {
        const auto in_unit = [&](const std::vector<int>& unit, std::size_t point) {
            return std::all_of(unit.begin(), unit.end(), [&](int row) {
                const Window& window = found_.windows[static_cast<std::size_t>(row)];
                const double x = data_.points.dimension(window.dimension)[point];
                return window.lower <= x && x < window.upper;
            });
        };
        std::int64_t inside = 0;
        for (std::size_t point = 0; point < data_.points.count; ++point) {
            inside += std::any_of(cluster.units.begin(), cluster.units.end(),
                                  [&](const std::vector<int>& unit) { return in_unit(unit, point); })
                          ? 1
                          : 0;
        }
        return inside;
    }
    /// Of the planted clusters, how many were found, and the worst of their recalls, precisions and edges.
    [[nodiscard]] std::pair<int, Recovered> recover() const {
        int number = 0;
        Recovered worst{.found = true, .recall = 1, .precision = 1};
        for (const Recovered& recovered : compare(data_.planted, found_.clusters, data_.points)) {
            number += recovered.found ? 1 : 0;
            worst.recall = std::min(worst.recall, recovered.recall);
            worst.precision = std::min(worst.precision, recovered.precision);
            worst.largest_edge = std::max(worst.largest_edge, recovered.largest_edge);
        }
        return {number, worst};
    }
    void add_recovery(std::vector<Fact>& facts) const {
        const auto [number, worst] = recover();
        facts.push_back({"planted_found", "", static_cast<double>(number)});
        facts.push_back({"recall", "", worst.recall});
        facts.push_back({"precision", "", worst.precision});
        facts.push_back({"largest_edge", "", worst.largest_edge});
    }

    Phases phases_;
    Mafia mafia_;
    Asked asked_;
    DataFile data_;
    Clustering found_;
};

} // namespace

std::unique_ptr<Operation> make_operation(const Context& context, const Asked& request) {
#ifdef _OPENMP
    omp_set_num_threads(request.threads);
#endif
    if (!request.file.empty()) {
        DataFile data = read_points(request.file);
        if (data.planted.empty() && std::max(request.least_recall, request.least_precision) > 0) {
            throw UsageError(request.file +
                             " names no planted clusters to be found; leave out --least-recall and "
                             "--least-precision, or write it by mafia generate");
        }
        return std::make_unique<ClusterOperation>(context, request, std::move(data));
    }
    Plan plan = request.plan;
    plan.seed = context.settings.seed;
    DataFile data;
    data.planted = draw_boxes(plan);
    data.points = draw_points(plan, data.planted);
    return std::make_unique<ClusterOperation>(context, request, std::move(data));
}

} // namespace goodsyard::mafia
