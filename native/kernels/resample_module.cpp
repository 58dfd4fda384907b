#include "resample_module.hpp"

#include "arrays.hpp"
#include "resample.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace steelyard {

namespace {

// Chunks of work that threads take from; helpers own their share of it, since they may come too late.
struct Shares {
    std::function<void(std::size_t, std::size_t)> work;
    std::size_t count;
    std::size_t chunk;
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};

    void take() {
        for (std::size_t from = next.fetch_add(chunk); from < count; from = next.fetch_add(chunk)) {
            const std::size_t to = std::min(from + chunk, count);
            work(from, to);
            if (done.fetch_add(to - from) + (to - from) == count) {
                done.notify_all();
            }
        }
    }
};

// All of a call takes less than a millisecond. On a busy machine a helper may not even start within that
// time, so nobody waits for it to end, only for the chunks that it took: `work` is not called after the
// return.
void in_parallel(std::size_t count, unsigned threads, std::function<void(std::size_t, std::size_t)> work) {
    constexpr std::size_t lanes = resample_lanes;
    const std::size_t helpers_useful = count / (16 * std::max<std::size_t>(1, threads));
    const auto shares = std::make_shared<Shares>();
    shares->work = std::move(work);
    shares->count = count;
    shares->chunk = std::max<std::size_t>(lanes, helpers_useful / lanes * lanes);
    for (unsigned i = 1; i < threads; ++i) {
        std::thread([shares] { shares->take(); }).detach();
    }
    shares->take();
    for (std::size_t done = shares->done; done < count; done = shares->done) {
        shares->done.wait(done);
    }
}

auto resample(const Resampling& resampling, std::size_t resamples, unsigned threads) {
    constexpr std::size_t most = 0xFFFFFFFFU;
    const std::size_t first = resampling.first.size(), second = resampling.second.size();
    require(first > 1 && first <= most && second <= most && second != 1, "a sample of two values or more");
    require(resampling.statistic != Statistic::paired_log_ratio || first == second, "pairs of values");
    auto t = output<double>({resamples});
    {
        nb::gil_scoped_release release;
        in_parallel(resamples, threads, [&](std::size_t from, std::size_t to) {
            studentise(resampling, from, to, values_of(t));
        });
    }
    return t;
}

auto resample_groups(const Input<double, 1>& values, const Input<std::int64_t, 1>& start, std::uint64_t seed,
                     std::size_t resamples, unsigned threads) {
    const auto starts = values_of(start);
    require(starts.size() > 2 && starts.front() == 0 &&
                starts.back() == static_cast<std::int64_t>(values.shape(0)),
            "two groups or more, from the first value to behind the last");
    for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
        require(starts[g] < starts[g + 1], "groups are not empty");
    }
    auto t = output<double>({resamples});
    {
        nb::gil_scoped_release release;
        in_parallel(resamples, threads, [&](std::size_t from, std::size_t to) {
            studentise_groups(values_of(values), starts, seed, from, to, values_of(t));
        });
    }
    return t;
}

} // namespace

void bind_resampling(nb::module_& module) {
    module.def(
        "studentised_mean",
        [](const Input<double, 1>& deviations, std::uint64_t seed, std::size_t resamples, unsigned threads) {
            return resample({Statistic::mean, values_of(deviations), {}, seed}, resamples, threads);
        },
        "deviations"_a, "seed"_a, "resamples"_a = 10000, "threads"_a = 1,
        "(mean* - mean) / se* of each resample.");
    module.def(
        "studentised_difference",
        [](const Input<double, 1>& first, const Input<double, 1>& second, std::uint64_t seed,
           std::size_t resamples, unsigned threads) {
            return resample({Statistic::difference, values_of(first), values_of(second), seed}, resamples,
                            threads);
        },
        "first"_a, "second"_a, "seed"_a, "resamples"_a = 10000, "threads"_a = 1,
        "Of the difference of the means of two independent samples, given as deviations.");
    module.def(
        "studentised_log_ratio",
        [](const Input<double, 1>& first, const Input<double, 1>& second, bool paired, std::uint64_t seed,
           std::size_t resamples, unsigned threads) {
            const auto statistic = paired ? Statistic::paired_log_ratio : Statistic::log_ratio;
            return resample({statistic, values_of(first), values_of(second), seed}, resamples, threads);
        },
        "first"_a, "second"_a, "paired"_a, "seed"_a, "resamples"_a = 10000, "threads"_a = 1,
        "Of the logarithm of the ratio of two means, given as deviations relative to them.");
    module.def(
        "studentised_groups", &resample_groups, "values"_a, "start"_a, "seed"_a, "resamples"_a = 10000,
        "threads"_a = 1,
        "Of the mean of group means, groups and then the values within them drawn: the two-level bootstrap.");
}

} // namespace steelyard
