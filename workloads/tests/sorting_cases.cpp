// Every parallel sort on every distribution, blocks and kind of item, against std::stable_sort of the
// gathered items: one start of MPI for all of them. Prints what is wrong, and how many cases there were; exit
// code 1 if any is.

#include <algorithm>
#include <cstdio>
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

using namespace workloads;
using namespace workloads::sorting;

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
std::vector<Item> all_of(MPI_Comm comm, const World& world, const std::vector<Item>& own) {
    const auto ranks = static_cast<std::size_t>(world.size());
    const int words = Traffic::words<Item>(own.size());
    std::vector<int> counts(ranks);
    check(MPI_Gather(&words, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
    std::vector<int> begin(ranks + 1);
    for (std::size_t r = 0; r < ranks; r++) {
        begin[r + 1] = begin[r] + counts[r];
    }
    std::vector<Item> all(world.is_root() ? static_cast<std::size_t>(begin[ranks] / words_of<Item>) : 0);
    check(MPI_Gatherv(own.data(), words, MPI_UINT64_T, all.data(), counts.data(), begin.data(), MPI_UINT64_T,
                      0, comm),
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
std::string outcome(MPI_Comm comm, const World& world, const Clock& clock, const Case& one) {
    const Input input(one.distribution, one.type, one.total, one.parameters.seed);
    const std::vector<std::uint64_t> begin =
        cut_into_blocks(one.blocks, one.total, world.size(), one.parameters.seed);
    const auto rank = static_cast<std::size_t>(world.rank());
    std::vector<Item> block(begin[rank + 1] - begin[rank]);
    for (std::uint64_t i = 0; i < block.size(); i++) {
        put(block[i], input.key(begin[rank] + i), begin[rank] + i);
    }
    std::vector<Item> expected = all_of(comm, world, block);
    std::stable_sort(expected.begin(), expected.end(), LessKey());

    Phases phases(clock);
    const Computation computation(ComputeMode::fixed, "");
    make_sort<Item>(comm, phases, computation, one.parameters)->run(block);
    const auto load =
        unexpected_load(one.parameters, world, block.size(), one.total, one.blocks == Blocks::even);
    const int unexpected = world.all(Fold::sum, load ? 1 : 0);
    const std::vector<Item> found = all_of(comm, world, block);
    if (unexpected > 0) {
        return "unexpected loads on " + std::to_string(unexpected) + " ranks";
    }
    const auto agree = [&](const Item& a, const Item& b) {
        return is_stable(one.parameters) ? same(a, b) : key_of(a) == key_of(b);
    };
    if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end(), agree)) {
        return "another order than std::stable_sort's";
    }
    if (!is_stable(one.parameters)) { // At least nothing is lost.
        Checksum before;
        Checksum after;
        std::for_each(expected.begin(), expected.end(),
                      [&](const Item& each) { before.add(fingerprint(each)); });
        std::for_each(found.begin(), found.end(), [&](const Item& each) { after.add(fingerprint(each)); });
        if (before != after) {
            return "other items";
        }
    }
    return "";
}

/// The sorts, with each of their ways.
std::vector<Parameters> all_sorts() {
    std::vector<Parameters> sorts;
    Parameters each;
    for (const auto& [name, local] : local_sorts) {
        each.local = local;
        if (is_built_in(local)) {
            sorts.push_back(each);
        }
    }
    each = {};
    each.algorithm = Algorithm::histogram;
    sorts.push_back(each);
    each.epsilon = 0;
    sorts.push_back(each);
    each.scan = Scan::library;
    sorts.push_back(each);
    each = {};
    each.algorithm = Algorithm::exact;
    sorts.push_back(each);
    each.schedule = Schedule::sequential;
    sorts.push_back(each);
    each = {};
    each.algorithm = Algorithm::radix;
    for (const int bits : {4, 8, 16}) {
        each.digit_bits = bits;
        for (const auto& [name, exchange] : exchanges) {
            each.exchange = exchange;
            sorts.push_back(each);
        }
    }
    each.digit_bits = 8;
    each.scan = Scan::library;
    sorts.push_back(each);
    each = {};
    each.algorithm = Algorithm::mini;
    sorts.push_back(each);
    each.groups = Groups::comm_split;
    sorts.push_back(each);
    return sorts;
}

class Cases {
  public:
    Cases(const World& world, int keys_per_rank, int every)
        : world_(world), clock_(Timer::monotonic), every_(every) {
        check(MPI_Comm_dup(comm_of(world), comm_.out()), "MPI_Comm_dup");
        for (const Parameters& parameters : all_sorts()) {
            for (const auto& [name, distribution] : distributions) {
                add_blocks({parameters, distribution}, static_cast<std::uint64_t>(keys_per_rank));
            }
        }
    }
    [[nodiscard]] int failed() const { return failed_; }
    [[nodiscard]] int run() const { return run_; }

  private:
    void add_blocks(Case one, std::uint64_t keys_per_rank) {
        const auto ranks = static_cast<std::uint64_t>(world_.size());
        if (one.parameters.algorithm == Algorithm::mini) {
            one.total = ranks;
            return add_types(one);
        }
        // Many digits take many rounds: those of radix sort that are not the default meet one kind of blocks.
        const bool brief = one.parameters.algorithm == Algorithm::radix && one.parameters.digit_bits != 8;
        for (const auto& [name, blocks] : block_kinds) {
            if (brief && blocks != Blocks::uneven) {
                continue;
            }
            one.blocks = blocks;
            one.total = keys_per_rank * ranks + (blocks == Blocks::even ? 0 : 3);
            add_types(one);
        }
        // Fewer items than ranks, one, and none.
        one.blocks = Blocks::uneven;
        for (const std::uint64_t few : {ranks / 2, std::uint64_t{1}, std::uint64_t{0}}) {
            one.total = few;
            if (one.distribution == Distribution::uniform) {
                add_types(one);
            }
        }
    }
    /// Kinds of keys take turns, and so do keys and records, in a pattern that meets every sort, input and
    /// block with both.
    void add_types(Case one) {
        const int number = met_++;
        if (number % every_ != 0) {
            return;
        }
        one.type = key_types[static_cast<std::size_t>(number) % key_types.size()].second;
        one.parameters.seed = static_cast<std::uint64_t>(number) + 1;
        const bool as_records = (number + number / 7) % 2 == 1 && one.parameters.local != LocalSort::vqsort;
        note(one, as_records ? outcome<Record>(comm_.get(), world_, clock_, one)
                             : outcome<Key>(comm_.get(), world_, clock_, one));
    }
    void note(const Case& one, const std::string& wrong) {
        run_++;
        if (!wrong.empty() && world_.is_root()) {
            failed_++;
            std::printf("%s: %s\n", one.name().c_str(), wrong.c_str());
        }
    }

    const World& world_;
    Clock clock_;
    OwnedComm comm_;
    int every_;
    int met_ = 0;
    int run_ = 0;
    int failed_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    int keys_per_rank = 40;
    int every = 1;
    const auto declare_options = [&](Options& options) {
        options.add("--keys-per-rank", keys_per_rank, "Keys of a rank, in the mean", {1, 1 << 20});
        options.add("--every", every, "Run one case in so many", {1, 1000});
    };
    const auto body = [&](const World& world) {
        const Cases cases(world, keys_per_rank, every);
        if (world.is_root()) {
            std::printf("%d cases, %d failed\n", cases.run(), cases.failed());
        }
        fail_together(world, "cases failed",
                      cases.failed() > 0 ? std::optional(std::to_string(cases.failed())) : std::nullopt);
    };
    return run(session, argc, argv,
               Program<World>{"sorting_cases", "Every parallel sort on every input.", declare_options, body});
}
