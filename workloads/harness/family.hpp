// A family of programs: operations by name, with the options and labels that they share.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/computation.hpp"
#include "harness/measure.hpp"
#include "harness/report.hpp"
#include "harness/settings.hpp"
#include "protocol/lines.hpp"

namespace goodsyard {

/// What an operation is made from.
struct Context {
    const Team& team;
    const Settings& settings;
    const Clock& clock;
    const Computation& computation;
};

/// `Made` is a Context, or one with more in it (MpiContext in mpi/entry.hpp).
template <class Made>
struct Family {
    std::string name;
    std::string description;
    /// Begins the names of metrics: `time` makes `time_s` and `time_quantile_s`.
    std::string quantity = "time";
    /// Defaults of the options that all families have.
    Settings settings = {};
    /// Inputs depend on `--seed`, which becomes a label.
    bool is_seeded = false;
    /// Operations charge what they compute: has `--compute`, which becomes a label.
    bool computes = false;
    /// Declares the family's own options.
    std::function<void(Options&)> declare = [](Options&) {};
    /// Labels of every line beside those of the harness.
    std::function<Labels()> labels = [] { return Labels{}; };

    struct Entry {
        std::string name;
        /// The operation, or nothing where it is left out here. Collective.
        std::function<std::unique_ptr<Operation>(const Made&)> make;
    };
    /// The registry, in the order in which operations are measured.
    std::vector<Entry> operations = {};

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const Entry& entry : operations) {
            all.push_back(entry.name);
        }
        return all;
    }
};

/// The labels that `labels` of the harness has beside those of the place.
template <class Made>
Labels common_labels(Labels labels, const Family<Made>& family, const Settings& settings,
                     const Computation& computation) {
    if (family.is_seeded) {
        labels.set("seed", static_cast<std::int64_t>(settings.seed));
    }
    if (family.computes) {
        labels.set("compute", computation.label());
    }
    return labels.with(family.labels());
}

/// Measure and report every operation that is asked for. Collective. `start` gives what starting together
/// needs.
template <class Made>
void measure_all(const Family<Made>& family, const Made& context, const Lines& lines,
                 const std::function<Starting()>& start) {
    const std::vector<std::string>& asked = context.settings.ops;
    for (const auto& entry : family.operations) {
        if (std::find(asked.begin(), asked.end(), entry.name) == asked.end()) {
            continue;
        }
        const std::unique_ptr<Operation> operation = entry.make(context);
        if (!operation) {
            continue;
        }
        const Measured measured = measure(*operation, entry.name, context.settings, start());
        if (context.team.is_root()) {
            report(lines, family.quantity, entry.name, *operation, context.settings, measured);
        }
    }
}

} // namespace goodsyard
