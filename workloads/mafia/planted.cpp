#include "mafia/planted.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "harness/failure.hpp"
#include "harness/random.hpp"
#include "mafia/points.hpp"

namespace goodsyard::mafia {

namespace {

constexpr std::uint64_t boxes_stream = 1;
constexpr std::uint64_t points_stream = 2;
constexpr int most_tries = 10'000;

/// The next draw of a stream, one after the other.
struct Sequence {
    Random random;
    std::uint64_t next = 0;

    double uniform() { return random.unit(next++); }
    std::size_t below(std::size_t n) { return random.below(n, next++); }
};

/// From the first box to the last, in a dimension that all share.
double width_of_all(const Plan& plan) {
    return Plan::side * (1 + plan.shift * static_cast<double>(plan.clusters - 1));
}

void check_plan(const Plan& plan) {
    const auto positive = [](const char* subject, std::size_t value) {
        if (value == 0) {
            throw UsageError(std::string("the number of ") + subject + " is 0; it must be at least 1");
        }
    };
    positive("points", plan.points);
    positive("dimensions", static_cast<std::size_t>(std::max(plan.dimensions, 0)));
    positive("clusters", static_cast<std::size_t>(std::max(plan.clusters, 0)));
    positive("dimensions of a cluster", static_cast<std::size_t>(std::max(plan.cluster_dimensions, 0)));
    if (plan.cluster_dimensions > plan.dimensions) {
        throw UsageError("clusters of " + std::to_string(plan.cluster_dimensions) +
                         " dimensions in points of " + std::to_string(plan.dimensions) +
                         "; --cluster-dimensions must not exceed --dimensions");
    }
    if (plan.shared < 0 || plan.shared > plan.cluster_dimensions) {
        throw UsageError(std::to_string(plan.shared) + " shared dimensions of clusters of " +
                         std::to_string(plan.cluster_dimensions) +
                         "; --shared must not be below 0 or exceed --cluster-dimensions");
    }
    if (plan.shared > 0 && width_of_all(plan) > Plan::extent) {
        throw UsageError("boxes that are shifted by " + std::to_string(plan.shift) +
                         " of a side end outside of the points; plant fewer, or lower --shift");
    }
}

/// Put `number` of `all`, drawn at random, first, and leave only these.
void choose(std::vector<int>& all, std::size_t number, Sequence& draw) {
    for (std::size_t i = 0; i < number; ++i) {
        std::swap(all[i], all[i + draw.below(all.size() - i)]);
    }
    all.resize(number);
}

/// The dimensions in which all boxes overlap, and where the first begins in each.
Box draw_shared(const Plan& plan, Sequence& draw) {
    Box shared;
    shared.dimensions.resize(static_cast<std::size_t>(plan.dimensions));
    std::iota(shared.dimensions.begin(), shared.dimensions.end(), 0);
    choose(shared.dimensions, static_cast<std::size_t>(plan.shared), draw);
    std::sort(shared.dimensions.begin(), shared.dimensions.end());
    for (std::size_t i = 0; i < shared.dimensions.size(); ++i) {
        shared.lower.push_back(draw.uniform() * (Plan::extent - width_of_all(plan)));
    }
    return shared;
}

std::vector<int> draw_dimensions(const Plan& plan, const std::vector<int>& shared, Sequence& draw) {
    std::vector<int> candidates;
    for (int j = 0; j < plan.dimensions; ++j) {
        if (!std::binary_search(shared.begin(), shared.end(), j)) {
            candidates.push_back(j);
        }
    }
    const std::size_t number = static_cast<std::size_t>(plan.cluster_dimensions) - shared.size();
    if (plan.clusters > 1) {
        choose(candidates, number, draw);
    }
    candidates.resize(number);
    candidates.insert(candidates.end(), shared.begin(), shared.end());
    std::sort(candidates.begin(), candidates.end());
    return candidates;
}

/// Where `box` begins in `dimension`; nothing where it does not have it.
std::optional<double> begin_in(const Box& box, int dimension) {
    const auto at = std::lower_bound(box.dimensions.begin(), box.dimensions.end(), dimension);
    if (at == box.dimensions.end() || *at != dimension) {
        return std::nullopt;
    }
    return box.lower[static_cast<std::size_t>(at - box.dimensions.begin())];
}

double draw_lower(const std::vector<Box>& earlier, int dimension, Sequence& draw) {
    for (int attempt = 0; attempt < most_tries; ++attempt) {
        const double lower = draw.uniform() * (Plan::extent - Plan::side);
        const bool free = std::none_of(earlier.begin(), earlier.end(), [&](const Box& box) {
            const auto second = begin_in(box, dimension);
            return second && std::abs(*second - lower) < Plan::side + Plan::gap;
        });
        if (free) {
            return lower;
        }
    }
    throw UsageError("the boxes of " + std::to_string(earlier.size() + 1) +
                     " clusters do not fit side by side in dimension " + std::to_string(dimension) +
                     "; plant fewer, in more dimensions, or with another seed");
}

} // namespace

std::vector<Box> draw_boxes(const Plan& plan) {
    check_plan(plan);
    Sequence draw{Random(plan.seed, boxes_stream)};
    const Box shared = plan.clusters > 1 ? draw_shared(plan, draw) : Box{};
    std::vector<Box> boxes;
    for (int c = 0; c < plan.clusters; ++c) {
        Box box{draw_dimensions(plan, shared.dimensions, draw), {}, {}};
        for (const int j : box.dimensions) {
            const std::optional<double> begin = begin_in(shared, j);
            box.lower.push_back(begin ? *begin + c * plan.shift * Plan::side : draw_lower(boxes, j, draw));
            box.upper.push_back(box.lower.back() + Plan::side);
        }
        boxes.push_back(std::move(box));
    }
    return boxes;
}

Points draw_points(const Plan& plan, const std::vector<Box>& boxes) {
    Points points{plan.points, plan.dimensions, {}};
    points.coordinates.resize(plan.points * static_cast<std::size_t>(plan.dimensions));
    const Random random(plan.seed, points_stream);
    const auto stride = static_cast<std::uint64_t>(plan.dimensions) + 2;
    std::vector<int> owner(plan.points);
    for (std::size_t i = 0; i < plan.points; ++i) {
        const bool inside = random.unit(i * stride) < plan.fraction;
        const double index = random.unit(i * stride + 1) * static_cast<double>(boxes.size());
        owner[i] = inside ? std::min(static_cast<int>(index), static_cast<int>(boxes.size()) - 1) : -1;
    }
    for (int j = 0; j < plan.dimensions; ++j) {
        std::vector<std::optional<double>> begin;
        for (const Box& box : boxes) {
            begin.push_back(begin_in(box, j));
        }
        double* const x = points.dimension(j);
        for (std::size_t i = 0; i < plan.points; ++i) {
            const double u = random.unit(i * stride + 2 + static_cast<std::uint64_t>(j));
            const auto lower = owner[i] < 0 ? std::nullopt : begin[static_cast<std::size_t>(owner[i])];
            x[i] = lower ? *lower + u * Plan::side : u * Plan::extent;
        }
    }
    return points;
}

} // namespace goodsyard::mafia
