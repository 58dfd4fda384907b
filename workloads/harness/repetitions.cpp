#include "harness/repetitions.hpp"

#include <algorithm>

#include "timing/quantile.hpp"

namespace goodsyard {

namespace {
constexpr int batch_repetitions = 50;
}

void keep_valid(const Batch& batch, std::size_t ranks, Measured& measured) {
    for (std::size_t i = 0; i < batch.longest_s.size(); ++i) {
        if (batch.spoilt[i] != 0) {
            ++measured.spoilt;
            continue;
        }
        measured.longest_s.push_back(batch.longest_s[i]);
        if (!batch.of_ranks_s.empty()) {
            const auto first = batch.of_ranks_s.begin() + static_cast<std::ptrdiff_t>(i * ranks);
            measured.of_ranks_s.insert(measured.of_ranks_s.end(), first,
                                       first + static_cast<std::ptrdiff_t>(ranks));
        }
        if (!batch.phases.empty()) {
            measured.phases.push_back(batch.phases[i]);
        }
    }
}

bool precise_enough(std::vector<double> values_s, const Settings& settings) {
    if (settings.precision <= 0) {
        return false;
    }
    std::sort(values_s.begin(), values_s.end());
    const QuantileInterval interval = quantile_interval(values_s, settings.quantile);
    return interval.found &&
           interval.high - interval.low <= settings.precision * quantile(values_s, settings.quantile);
}

int next_batch(const Measured& measured, const Settings& settings, double spent_s, double one_s) {
    const auto valid = static_cast<int>(measured.longest_s.size());
    if (valid >= settings.repetitions || spent_s > settings.budget_s ||
        precise_enough(measured.longest_s, settings)) {
        return 0;
    }
    const int target = std::min(batch_repetitions, settings.repetitions - valid);
    const double left_s = settings.budget_s - spent_s;
    return one_s * target <= left_s ? target : std::max(1, static_cast<int>(left_s / one_s));
}

} // namespace goodsyard
