#include "mafia/windows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "harness/failure.hpp"

namespace goodsyard::mafia {

namespace {

/// Cut all bins into pieces of `width`, the last of which may be shorter.
std::vector<Window> cut_evenly(const std::vector<std::int64_t>& histogram, int pieces) {
    const int bins = static_cast<int>(histogram.size());
    const int width = (bins + pieces - 1) / pieces;
    std::vector<Window> windows;
    for (int first = 0; first < bins; first += width) {
        Window window;
        window.first_bin = first;
        window.bins = std::min(width, bins - first);
        window.largest_bin =
            *std::max_element(histogram.begin() + first, histogram.begin() + first + window.bins);
        windows.push_back(window);
    }
    return windows;
}

/// Whether neighbours are about equally dense.
bool alike(const Window& left, const Window& right, double beta) {
    if (left.largest_bin == 0 || right.largest_bin == 0) {
        return left.largest_bin == right.largest_bin;
    }
    const double ratio = static_cast<double>(left.largest_bin) / static_cast<double>(right.largest_bin);
    return 1 - std::min(ratio, 1 / ratio) <= beta;
}

std::vector<Window> merge_alike(const std::vector<Window>& pieces, double beta) {
    std::vector<Window> windows = {pieces.front()};
    for (auto piece = pieces.begin() + 1; piece != pieces.end(); ++piece) {
        if (!alike(windows.back(), *piece, beta)) {
            windows.push_back(*piece);
            continue;
        }
        windows.back().bins += piece->bins;
        windows.back().largest_bin = std::max(windows.back().largest_bin, piece->largest_bin);
    }
    return windows;
}

std::vector<std::int64_t> count_bins(const double* x, std::size_t n, double least, double most, int bins) {
    std::vector<std::int64_t> histogram(static_cast<std::size_t>(bins));
    const double bins_per_unit = bins / (most - least);
    for (std::size_t i = 0; i < n; ++i) {
        ++histogram[static_cast<std::size_t>(
            std::clamp(static_cast<int>((x[i] - least) * bins_per_unit), 0, bins - 1))];
    }
    return histogram;
}

} // namespace

std::vector<Window> cut_dimension(int dimension, const std::vector<std::int64_t>& histogram, double least,
                                  double most, std::size_t points, const GridOptions& options) {
    if (most - least <= GridOptions::epsilon) {
        return {};
    }
    std::vector<Window> windows = merge_alike(cut_evenly(histogram, options.most_windows), options.beta);
    if (windows.size() == 1) {
        windows = cut_evenly(histogram, options.uniform_windows);
    }
    const auto bins = static_cast<double>(histogram.size());
    int number = 0;
    for (Window& window : windows) {
        window.dimension = dimension;
        window.number = number++;
        window.threshold = std::max(
            GridOptions::least_threshold,
            static_cast<std::int64_t>(options.alpha * window.bins * static_cast<double>(points) / bins));
        window.lower = least + window.first_bin * (most - least) / bins;
        window.upper = least + (window.first_bin + window.bins) * (most - least) / bins;
    }
    return windows;
}

std::vector<Window> find_dense_windows(const Points& points, const GridOptions& options) {
    std::vector<std::vector<Window>> of_dimension(static_cast<std::size_t>(points.dimensions));
    std::vector<double> spans(of_dimension.size());
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < points.dimensions; ++j) {
        const double* const x = points.dimension(j);
        const auto [low, high] = std::minmax_element(x, x + points.count);
        const double least = *low;
        const double most = *high + GridOptions::epsilon;
        const double range = std::min(std::ceil(most - least), 1e6);
        const int bins = std::max(options.least_bins, static_cast<int>(range));
        spans[static_cast<std::size_t>(j)] = (most - least) * bins;
        if (!std::isfinite(spans[static_cast<std::size_t>(j)])) {
            continue; // No exception leaves a loop of OpenMP.
        }
        of_dimension[static_cast<std::size_t>(j)] = cut_dimension(
            j, count_bins(x, points.count, least, most, bins), least, most, points.count, options);
    }
    for (std::size_t j = 0; j < spans.size(); ++j) {
        if (!std::isfinite(spans[j])) {
            throw UsageError("the coordinates of dimension " + std::to_string(j) +
                             " lie too far apart for numbers of double precision: scale them");
        }
    }
    std::vector<Window> dense;
    for (const auto& windows : of_dimension) {
        std::copy_if(windows.begin(), windows.end(), std::back_inserter(dense),
                     [](const Window& window) { return window.dense(); });
    }
    return dense;
}

} // namespace goodsyard::mafia
