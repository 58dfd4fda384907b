#include "runtime/counters.hpp"

#include <array>
#include <string>

namespace goodsyard::runtime {

namespace {

struct Entry {
    const char* metric;
    std::uint64_t Counters::* member;
    Fold fold = Fold::sum;
};

constexpr std::array entries = {
    Entry{"items", &Counters::items},
    Entry{"items_handled", &Counters::items_handled},
    Entry{"items_forwarded", &Counters::forwarded},
    Entry{"messages", &Counters::messages},
    Entry{"message_bytes", &Counters::message_bytes},
    Entry{"messages_to_self", &Counters::messages_to_self},
    Entry{"items_combined", &Counters::combined},
    Entry{"waits_for_room", &Counters::waits_for_room},
    Entry{"longest_backlog", &Counters::longest_backlog, Fold::max},
    Entry{"epochs", &Counters::epochs, Fold::max},
    Entry{"waves", &Counters::waves, Fold::max},
    Entry{"idle_polls", &Counters::idle_polls},
    Entry{"tasks", &Counters::tasks},
    Entry{"switches", &Counters::switches},
    Entry{"resumptions", &Counters::resumptions},
    Entry{"yields", &Counters::yields},
    Entry{"suspensions", &Counters::suspensions},
    Entry{"longest_ready", &Counters::longest_ready, Fold::max},
    Entry{"most_live_tasks", &Counters::most_active, Fold::max},
    Entry{"most_unbegun_tasks", &Counters::most_unbegun, Fold::max},
    Entry{"steals_tried", &Counters::steals_tried},
    Entry{"steals", &Counters::steals},
    Entry{"items_stolen", &Counters::stolen_items},
    Entry{"refusals", &Counters::refusals},
    Entry{"delegates", &Counters::delegates},
    Entry{"delegates_here", &Counters::delegates_here},
    Entry{"items_useful", &Counters::useful},
    Entry{"items_superseded", &Counters::superseded},
    Entry{"items_rejected", &Counters::rejected},
};

struct HistogramEntry {
    const char* metric;
    Histogram Counters::* member;
};

constexpr std::array histograms = {HistogramEntry{"items_by_bytes", &Counters::items_by_bytes},
                                   HistogramEntry{"messages_by_bytes", &Counters::messages_by_bytes},
                                   HistogramEntry{"steals_by_items", &Counters::steals_by_items}};

constexpr std::array<const char*, flush_reasons> reasons = {"full", "single", "age", "idle", "asked", "last"};

void add_histograms(const Team& team, const Counters& counters, std::vector<Fact>& all) {
    std::vector<std::uint64_t> local;
    for (const HistogramEntry& entry : histograms) {
        const auto& counts = (counters.*entry.member).counts();
        local.insert(local.end(), counts.begin(), counts.end());
    }
    std::vector<std::uint64_t> sums;
    team.to_root(Fold::sum, local, sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] > 0) {
            const Labels labels = {{"up_to", std::int64_t{1} << (i % Histogram::classes)}};
            const char* metric = histograms[i / Histogram::classes].metric;
            all.push_back({metric, "", static_cast<double>(sums[i]), labels});
        }
    }
}

} // namespace

std::vector<Fact> facts(const Team& team, const Counters& counters) {
    std::vector<Fact> all;
    const auto add = [&](const std::string& metric, std::uint64_t local, Fold fold) {
        const std::string unit = metric == "message_bytes" ? "B" : "";
        all.push_back({metric, unit, static_cast<double>(team.all(fold, local))});
    };
    for (const Entry& entry : entries) {
        add(entry.metric, counters.*entry.member, entry.fold);
    }
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        add(std::string("flushes_") + reasons[i], counters.flushes[i], Fold::sum);
    }
    all.push_back({"blocked_s", "s", team.all(Fold::sum, counters.blocked_s)});
    add_histograms(team, counters, all);
    return all;
}

} // namespace goodsyard::runtime
