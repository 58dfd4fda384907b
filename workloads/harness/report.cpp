#include "harness/report.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "harness/rank_means.hpp"
#include "timing/quantile.hpp"

namespace goodsyard {

namespace {

void report_raw(const Lines& lines, const std::string& quantity, const Labels& labels,
                const Measured& measured) {
    const RankMeans means = rank_means(measured.of_ranks_s, measured.longest_s.size());
    lines.write(quantity + "_of_rank_s", "s", labels, measured.of_ranks_s);
    lines.write("mean_of_ranks_s", "s", labels, {means.all_s});
    lines.write("mean_of_slowest_rank_s", "s", labels, {means.slowest_s});
}

void report_phase(const Lines& lines, const Labels& labels, const Measured& measured, std::size_t phase) {
    std::vector<double> times_s;
    for (const auto& repetition : measured.phases) {
        times_s.push_back(repetition[phase].largest.time_s);
    }
    lines.write("phase_s", "s", labels, times_s);
    using Count = std::pair<const char*, std::uint64_t PhaseValues::*>;
    for (const auto& [name, member] :
         {Count{"messages", &PhaseValues::messages}, Count{"bytes", &PhaseValues::bytes},
          Count{"operations", &PhaseValues::operations}}) {
        std::vector<double> sums;
        std::vector<double> largest;
        for (const auto& repetition : measured.phases) {
            sums.push_back(static_cast<double>(repetition[phase].sum.*member));
            largest.push_back(static_cast<double>(repetition[phase].largest.*member));
        }
        const std::string unit = member == &PhaseValues::bytes ? "B" : "";
        lines.write(std::string("phase_") + name, unit, labels, sums);
        lines.write(std::string("phase_") + name + "_of_busiest_rank", unit, labels, largest);
    }
}

} // namespace

void report(const Lines& lines, const std::string& quantity, const std::string& name, Operation& operation,
            const Settings& settings, const Measured& measured) {
    const Labels labels = Labels{{"op", name}}.with(operation.labels());
    std::vector<double> sorted = measured.longest_s;
    std::sort(sorted.begin(), sorted.end());
    const double reported_s = quantile(sorted, settings.quantile);
    lines.write(quantity + "_s", "s", labels, measured.longest_s);
    lines.write(quantity + "_quantile_s", "s", labels, {reported_s});
    lines.write("spoilt_repetitions", "", labels, {static_cast<double>(measured.spoilt)});
    const double tried =
        static_cast<double>(measured.spoilt) + static_cast<double>(measured.longest_s.size());
    lines.write("spoilt_fraction", "", labels, {measured.spoilt / tried});
    lines.write("window_s", "s", labels, {measured.window_s});
    lines.write("clock_error_s", "s", labels, {measured.clock_error_s});
    lines.write("clock_drift_s", "s", labels, {measured.clock_drift_s});
    for (const Fact& fact : measured.facts) {
        lines.write(fact.metric, fact.unit, labels.with(fact.labels), {fact.value});
    }
    if (!measured.of_ranks_s.empty()) {
        report_raw(lines, quantity, labels, measured);
    }
    if (!measured.phases.empty()) {
        const std::vector<std::string>& names = operation.phases()->names();
        for (std::size_t phase = 0; phase < names.size(); ++phase) {
            report_phase(lines, labels.with({{"phase", names[phase]}}), measured, phase);
        }
    }
    std::fprintf(stderr, "%-10s%14.3f us   %zu valid, %d spoilt, window %.1f us, clocks to %.3f us\n",
                 name.c_str(), reported_s * 1e6, measured.longest_s.size(), measured.spoilt,
                 measured.window_s * 1e6, measured.clock_error_s * 1e6);
}

void report_timer(const Lines& lines, const Clock::Facts& facts, bool oversubscribed) {
    lines.write("timer_cost_s", "s", {}, {facts.cost_s});
    lines.write("timer_step_s", "s", {}, {facts.step_s});
    std::fprintf(stderr, "timer: %.1f ns a reading, step %.1f ns%s\n", facts.cost_s * 1e9, facts.step_s * 1e9,
                 oversubscribed ? "; more ranks than CPUs: these times are no latencies" : "");
}

} // namespace goodsyard
