// Every parallel sort on every distribution, blocks and kind of item, against std::stable_sort of the
// gathered items: one start of MPI for all of them. With --pairs, every sort directly followed by every sort
// on the same communicator. Prints what is wrong, and how many cases there were; exit code 1 if any is.

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "harness/failure.hpp"
#include "mpi/entry.hpp"
#include "mpi/handles.hpp"
#include "sorting/checks.hpp"
#include "sorting/inputs.hpp"
#include "sorting/local_sort.hpp"
#include "sorting/names.hpp"
#include "sorting/sort.hpp"

namespace {

using namespace goodsyard;
using namespace goodsyard::sorting;

struct Case {
    Parameters parameters;
    Distribution distribution = Distribution::uniform;
    Blocks blocks = Blocks::even;
    KeyType type = KeyType::u64;
    std::uint64_t total = 0;

    [[nodiscard]] std::string name() const {
        return name_of(algorithms, parameters.algorithm) + " " + name_of(schedules, parameters.schedule) +
               " " + name_of(exchanges, parameters.exchange) + " " + name_of(scans, parameters.scan) + " " +
               name_of(groupings, parameters.groups) + " k=" + std::to_string(parameters.digit_bits) + " " +
               name_of(local_sorts, parameters.local) + ", " + name_of(distributions, distribution) + ", " +
               name_of(block_kinds, blocks) + ", " + name_of(key_types, type) +
               ", n = " + std::to_string(total);
    }
};

/// All items of all ranks, by rank, on the root.
template <class Item>
std::vector<Item> all_of(MPI_Comm comm, const World& world, const std::vector<Item>& local) {
    const auto ranks = static_cast<std::size_t>(world.size());
    const int words = Traffic::words<Item>(local.size());
    std::vector<int> counts(ranks);
    check(MPI_Gather(&words, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
    std::vector<int> begin(ranks + 1);
    for (std::size_t r = 0; r < ranks; ++r) {
        begin[r + 1] = begin[r] + counts[r];
    }
    std::vector<Item> all(world.is_root() ? static_cast<std::size_t>(begin[ranks] / words_of<Item>) : 0);
    check(MPI_Gatherv(local.data(), words, MPI_UINT64_T, all.data(), counts.data(), begin.data(),
                      MPI_UINT64_T, 0, comm),
          "MPI_Gatherv");
    return all;
}

bool same(Key a, Key b) {
    return a == b;
}
bool same(const Record& a, const Record& b) {
    return a.key == b.key && a.payload == b.payload;
}

/// What is wrong with the outcome of a case; empty on other ranks than the root.
template <class Item>
std::string outcome(MPI_Comm comm, const World& world, const Clock& clock, const Case& sort_case) {
    const Input input(sort_case.distribution, sort_case.type, sort_case.total, sort_case.parameters.seed);
    const std::vector<std::uint64_t> begin =
        cut_into_blocks(sort_case.blocks, sort_case.total, world.size(), sort_case.parameters.seed);
    const auto rank = static_cast<std::size_t>(world.rank());
    std::vector<Item> block(begin[rank + 1] - begin[rank]);
    for (std::uint64_t i = 0; i < block.size(); ++i) {
        put(block[i], input.key(begin[rank] + i), begin[rank] + i);
    }
    std::vector<Item> expected = all_of(comm, world, block);
    std::stable_sort(expected.begin(), expected.end(), LessKey());

    Phases phases(clock);
    const Computation computation(ComputeMode::fixed, "");
    make_sort<Item>(comm, phases, computation, sort_case.parameters)->run(block);
    const auto load = unexpected_load(sort_case.parameters, world, block.size(), sort_case.total,
                                      sort_case.blocks == Blocks::even);
    const int unexpected = world.all(Fold::sum, load ? 1 : 0);
    const std::vector<Item> found = all_of(comm, world, block);
    if (unexpected > 0) {
        return "unexpected loads on " + std::to_string(unexpected) + " ranks";
    }
    const auto agree = [&](const Item& a, const Item& b) {
        return is_stable(sort_case.parameters) ? same(a, b) : key_of(a) == key_of(b);
    };
    if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end(), agree)) {
        return "another order than std::stable_sort's";
    }
    if (!is_stable(sort_case.parameters)) { // At least nothing is lost.
        Checksum before;
        Checksum after;
        std::for_each(expected.begin(), expected.end(),
                      [&](const Item& item) { before.add(fingerprint(item)); });
        std::for_each(found.begin(), found.end(), [&](const Item& item) { after.add(fingerprint(item)); });
        if (before != after) {
            return "other items";
        }
    }
    return "";
}

/// The sorts, with each of their ways.
std::vector<Parameters> all_sorts() {
    std::vector<Parameters> sorts;
    Parameters parameters;
    for (const auto& [name, local] : local_sorts) {
        parameters.local = local;
        if (is_built_in(local)) {
            sorts.push_back(parameters);
        }
    }
    parameters = {};
    parameters.algorithm = Algorithm::histogram;
    sorts.push_back(parameters);
    parameters.epsilon = 0;
    sorts.push_back(parameters);
    parameters.scan = Scan::library;
    sorts.push_back(parameters);
    parameters = {};
    parameters.algorithm = Algorithm::exact;
    sorts.push_back(parameters);
    parameters.schedule = Schedule::sequential;
    sorts.push_back(parameters);
    parameters = {};
    parameters.algorithm = Algorithm::radix;
    for (const int bits : {4, 8, 16}) {
        parameters.digit_bits = bits;
        for (const auto& [name, exchange] : exchanges) {
            parameters.exchange = exchange;
            sorts.push_back(parameters);
        }
    }
    parameters.digit_bits = 8;
    parameters.scan = Scan::library;
    sorts.push_back(parameters);
    parameters = {};
    parameters.algorithm = Algorithm::mini;
    sorts.push_back(parameters);
    parameters.groups = Groups::comm_split;
    sorts.push_back(parameters);
    return sorts;
}

/// How many cases there were; those that failed are printed, and counted, on the root.
struct Report {
    int cases = 0;
    int failed = 0;

    void note(const World& world, const std::string& name, const std::string& wrong) {
        ++cases;
        if (!wrong.empty() && world.is_root()) {
            ++failed;
            std::printf("%s: %s\n", name.c_str(), wrong.c_str());
        }
    }
};

class Cases {
  public:
    Cases(const World& world, int keys_per_rank, int every)
        : world_(world), clock_(Timer::monotonic), comm_(duplicate(comm_of(world))), every_(every) {
        for (const Parameters& parameters : all_sorts()) {
            for (const auto& [name, distribution] : distributions) {
                add_blocks({parameters, distribution}, static_cast<std::uint64_t>(keys_per_rank));
            }
        }
    }
    [[nodiscard]] const Report& report() const { return report_; }

  private:
    void add_blocks(Case sort_case, std::uint64_t keys_per_rank) {
        const auto ranks = static_cast<std::uint64_t>(world_.size());
        if (sort_case.parameters.algorithm == Algorithm::mini) {
            sort_case.total = ranks;
            return add_types(sort_case);
        }
        // Many digits take many rounds: those of radix sort that are not the default meet one kind of blocks.
        const bool brief =
            sort_case.parameters.algorithm == Algorithm::radix && sort_case.parameters.digit_bits != 8;
        for (const auto& [name, blocks] : block_kinds) {
            if (brief && blocks != Blocks::uneven) {
                continue;
            }
            sort_case.blocks = blocks;
            sort_case.total = keys_per_rank * ranks + (blocks == Blocks::even ? 0 : 3);
            add_types(sort_case);
        }
        // Fewer items than ranks, one, and none.
        sort_case.blocks = Blocks::uneven;
        for (const std::uint64_t few : {ranks / 2, std::uint64_t{1}, std::uint64_t{0}}) {
            sort_case.total = few;
            if (sort_case.distribution == Distribution::uniform) {
                add_types(sort_case);
            }
        }
    }
    /// Kinds of keys take turns, and so do keys and records, in a pattern that meets every sort, input and
    /// block with both.
    void add_types(Case sort_case) {
        const int number = met_++;
        if (number % every_ != 0) {
            return;
        }
        sort_case.type = key_types[static_cast<std::size_t>(number) % key_types.size()].second;
        sort_case.parameters.seed = static_cast<std::uint64_t>(number) + 1;
        const bool as_records =
            (number + number / 7) % 2 == 1 && sort_case.parameters.local != LocalSort::vqsort;
        report_.note(world_, sort_case.name(),
                     as_records ? outcome<Record>(comm_.get(), world_, clock_, sort_case)
                                : outcome<Key>(comm_.get(), world_, clock_, sort_case));
    }

    const World& world_;
    Clock clock_;
    OwnedComm comm_;
    int every_;
    int met_ = 0;
    Report report_;
};

/// Sorts that differ in the messages that they send.
std::vector<Parameters> sorts_by_messages() {
    std::vector<Parameters> sorts = all_sorts();
    std::erase_if(sorts, [](const Parameters& parameters) {
        return parameters.local != LocalSort::std || parameters.epsilon == 0 ||
               (parameters.algorithm == Algorithm::radix && parameters.digit_bits != 8);
    });
    return sorts;
}

/// Two sorts of a key a rank, the second begun by each rank as soon as the first has ended there. Returns
/// what is wrong with the outcome.
std::string outcome_of_pair(const World& world, const Clock& clock, const std::array<Case, 2>& pair) {
    Phases phases(clock);
    const Computation computation(ComputeMode::fixed, "");
    std::array<std::unique_ptr<Sort<Key>>, 2> sorts;
    std::array<std::vector<Key>, 2> blocks;
    std::array<std::vector<Key>, 2> expected;
    for (std::size_t i = 0; i < pair.size(); ++i) {
        sorts[i] = make_sort<Key>(comm_of(world), phases, computation, pair[i].parameters);
        const Input input(pair[i].distribution, pair[i].type, pair[i].total, pair[i].parameters.seed + i);
        blocks[i] = {input.key(static_cast<std::uint64_t>(world.rank()))};
        expected[i] = all_of(comm_of(world), world, blocks[i]);
        std::sort(expected[i].begin(), expected[i].end());
    }
    for (std::size_t i = 0; i < pair.size(); ++i) {
        sorts[i]->run(blocks[i]);
    }
    for (std::size_t i = 0; i < pair.size(); ++i) {
        if (all_of(comm_of(world), world, blocks[i]) != expected[i]) {
            return (i == 0 ? "the first" : "the second") + std::string(" has another order than std::sort's");
        }
    }
    return "";
}

/// Every sort before every sort; of those whose first receives no message by wildcards one in so many.
Report run_pairs(const World& world, int every) {
    const Clock clock(Timer::monotonic);
    const auto keys = static_cast<std::uint64_t>(world.size());
    Report report;
    int number = 0;
    for (const Parameters& first : sorts_by_messages()) {
        const bool has_wildcards =
            first.algorithm == Algorithm::radix && first.exchange == sorting::Exchange::p2p;
        for (const Parameters& second : sorts_by_messages()) {
            if (number++ % every != 0 && !has_wildcards) {
                continue;
            }
            std::array<Case, 2> pair = {Case{.parameters = first, .total = keys},
                                        Case{.parameters = second, .total = keys}};
            pair[0].parameters.seed = static_cast<std::uint64_t>(report.cases) + 1;
            report.note(world, pair[0].name() + "; then " + pair[1].name(),
                        outcome_of_pair(world, clock, pair));
        }
    }
    return report;
}

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    int keys_per_rank = 40;
    int every = 1;
    bool in_pairs = false;
    const auto declare_options = [&](Options& options) {
        options.add("--keys-per-rank", keys_per_rank, "Keys of a rank, in the mean", {1, 1 << 20});
        options.add("--every", every, "Run one case in so many", {1, 1000});
        options.flag("--pairs", in_pairs, "Run every sort directly before every sort instead, a key a rank");
    };
    const auto body = [&](const World& world) {
        const Report report =
            in_pairs ? run_pairs(world, every) : Cases(world, keys_per_rank, every).report();
        if (world.is_root()) {
            std::printf("%d cases, %d failed\n", report.cases, report.failed);
        }
        fail_together(world, "cases failed",
                      report.failed > 0 ? std::optional(std::to_string(report.failed)) : std::nullopt);
    };
    return run(session, argc, argv,
               Program<World>{"sorting_cases", "Every parallel sort on every input.", declare_options, body});
}
