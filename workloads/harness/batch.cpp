#include "harness/batch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/failure.hpp"

namespace goodsyard {

namespace {

/// Every rank's values of one repetition after the other, from those of one rank after the other.
std::vector<double> by_repetition(const std::vector<double>& by_rank, std::size_t ranks) {
    const std::size_t repetitions = by_rank.size() / ranks;
    std::vector<double> values;
    values.reserve(by_rank.size());
    for (std::size_t i = 0; i < repetitions; ++i) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            values.push_back(by_rank[rank * repetitions + i]);
        }
    }
    return values;
}

/// One member of all values, folded over ranks; on the root only.
template <class T>
std::vector<T> folded(const Team& team, const std::vector<PhaseValues>& local, T PhaseValues::* member,
                      Fold fold) {
    std::vector<T> column;
    column.reserve(local.size());
    for (const PhaseValues& values : local) {
        column.push_back(values.*member);
    }
    std::vector<T> result;
    team.to_root(fold, column, result);
    return result;
}

std::vector<std::vector<PhaseTotals>> totals(const Team& team, const std::vector<PhaseValues>& local,
                                             std::size_t repetitions) {
    std::vector<PhaseTotals> all(local.size());
    const auto times_s = folded(team, local, &PhaseValues::time_s, Fold::max);
    for (std::size_t i = 0; i < times_s.size(); ++i) {
        all[i].largest.time_s = times_s[i];
    }
    for (const auto member : {&PhaseValues::messages, &PhaseValues::bytes, &PhaseValues::operations}) {
        const std::vector<std::uint64_t> sums = folded(team, local, member, Fold::sum);
        const std::vector<std::uint64_t> largest = folded(team, local, member, Fold::max);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            all[i].sum.*member = sums[i];
            all[i].largest.*member = largest[i];
        }
    }
    if (!team.is_root()) {
        return {};
    }
    const auto phases = static_cast<std::ptrdiff_t>(local.size() / repetitions);
    std::vector<std::vector<PhaseTotals>> rows;
    for (auto at = all.begin(); at != all.end(); at += phases) {
        rows.emplace_back(at, at + phases);
    }
    return rows;
}

} // namespace

Notes::Notes(const Starting& starting, Operation& operation, int count)
    : starting_(starting), operation_(operation) {
    took_s_.reserve(static_cast<std::size_t>(count));
    spoilt_.reserve(static_cast<std::size_t>(count));
}

void Notes::prepare() {
    operation_.prepare();
    if (Phases* phases = operation_.phases()) {
        phases->take();
    }
}

void Notes::add(const Ran& ran, Spoilt spoilt) {
    took_s_.push_back(ran.end_s - ran.begin_s);
    spoilt_.push_back(static_cast<int>(spoilt));
    if (Phases* phases = operation_.phases()) {
        const std::vector<PhaseValues> drained = phases->take();
        phases_.insert(phases_.end(), drained.begin(), drained.end());
    }
    if (starting_.check_each) {
        std::optional<std::string> result = operation_.wrong();
        if (!wrong_) {
            wrong_ = std::move(result);
        }
    }
}

Batch Notes::collect() const {
    const Team& team = starting_.team;
    if (starting_.check_each) {
        fail_together(team, "the outcome is wrong", wrong_);
    }
    Batch batch;
    team.to_root(Fold::max, took_s_, batch.longest_s);
    team.to_root(Fold::max, spoilt_, batch.spoilt);
    if (starting_.raw) {
        batch.of_ranks_s = by_repetition(team.gathered(took_s_), static_cast<std::size_t>(team.size()));
    }
    if (!phases_.empty()) {
        batch.phases = totals(team, phases_, took_s_.size());
    }
    return batch;
}

} // namespace goodsyard
