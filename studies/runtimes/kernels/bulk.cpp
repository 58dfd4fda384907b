// The kernels on MPI alone, in bulk: `bulk NAME`. A rank puts all that it has for others in order by rank,
// exchanges it at once by MPI_Alltoallv, and then handles all that has come.
#include <cstring>
#include <numeric>
#include <span>
#include <unordered_map>

#include "kernels.hpp"

namespace {

using kernels::Kernel;
using kernels::Place;
using kernels::Table;

/// Items of all ranks in order by rank, and how many of each.
template <class Item>
struct Parts {
    explicit Parts(const Place& here) : counts(here.ranks) {}
    std::vector<Item> items;
    std::vector<int> counts;
};

std::vector<int> begins(const std::vector<int>& counts) {
    std::vector<int> result(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
    return result;
}

/// Items of so many indices by rank; `of(i)` is a pair of rank and item.
template <class Item, class Of>
Parts<Item> sort_by_rank(const Place& here, std::size_t count, Of of) {
    Parts<Item> sorted(here);
    for (std::size_t i = 0; i < count; ++i) {
        ++sorted.counts[of(i).first];
    }
    std::vector<int> next = begins(sorted.counts);
    sorted.items.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [rank, item] = of(i);
        sorted.items[static_cast<std::size_t>(next[rank]++)] = item;
    }
    return sorted;
}

/// What ranks have for this one, in order by rank. Collective.
template <class Item>
Parts<Item> exchange(const Place& here, const Parts<Item>& sent) {
    MPI_Datatype type;
    MPI_Type_contiguous(sizeof(Item), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    Parts<Item> arrived(here);
    MPI_Alltoall(sent.counts.data(), 1, MPI_INT, arrived.counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    arrived.items.resize(
        static_cast<std::size_t>(std::accumulate(arrived.counts.begin(), arrived.counts.end(), 0)));
    MPI_Alltoallv(sent.items.data(), sent.counts.data(), begins(sent.counts).data(), type,
                  arrived.items.data(), arrived.counts.data(), begins(arrived.counts).data(), type,
                  MPI_COMM_WORLD);
    MPI_Type_free(&type);
    return arrived;
}

class Histogram final : public Kernel {
  public:
    explicit Histogram(const Place& here)
        : here_(here), accesses_(Table::accesses(here)), counts_(Table::places_of_rank) {}
    void prepare() override { std::fill(counts_.begin(), counts_.end(), 0); }
    void run() override {
        const auto sent = sort_by_rank<std::uint64_t>(here_, accesses_.size(), [this](std::size_t i) {
            return std::pair(accesses_[i] % here_.ranks, accesses_[i] / here_.ranks);
        });
        for (const std::uint64_t at : exchange(here_, sent).items) {
            ++counts_[at];
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return Table::sum(here_, counts_); }

  private:
    Place here_;
    std::vector<std::uint64_t> accesses_, counts_;
};

class Gather final : public Kernel {
  public:
    explicit Gather(const Place& here)
        : here_(here), accesses_(Table::accesses(here)), values_(Table::values(here)),
          answers_(accesses_.size()) {}
    void prepare() override { std::fill(answers_.begin(), answers_.end(), 0); }
    void run() override {
        const auto sent = sort_by_rank<Item>(here_, accesses_.size(), [this](std::size_t i) {
            return std::pair(accesses_[i] % here_.ranks, Item{accesses_[i] / here_.ranks, i});
        });
        Parts<Item> asked = exchange(here_, sent);
        for (Item& item : asked.items) {
            item.value = values_[item.value];
        }
        for (const Item& item : exchange(here_, asked).items) {
            answers_[item.slot] = item.value;
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return Table::sum_of_answers(answers_); }

  private:
    struct Item {
        std::uint64_t value; ///< Or the place of the one that is asked for.
        std::uint64_t slot;
    };

    Place here_;
    std::vector<std::uint64_t> accesses_, values_, answers_;
};

/// As many bytes of a word as its first says follow.
struct Words {
    static void append(std::vector<char>& bytes, const std::string& word) {
        bytes.push_back(static_cast<char>(word.size()));
        bytes.insert(bytes.end(), word.begin(), word.end());
    }
    template <class F>
    static void for_each(std::span<const char> bytes, F f) {
        while (!bytes.empty()) {
            const auto size = static_cast<std::size_t>(bytes.front());
            f(std::string(bytes.data() + 1, size));
            bytes = bytes.subspan(1 + size);
        }
    }
};

template <class Key>
class Counts final : public Kernel {
  public:
    Counts(const Place& here, std::vector<Key> keys) : here_(here), keys_(std::move(keys)) {}
    void prepare() override { counts_.clear(); }
    void run() override {
        if constexpr (std::is_same_v<Key, std::string>) {
            std::vector<std::vector<char>> of_ranks(here_.ranks);
            for (const Key& key : keys_) {
                Words::append(of_ranks[owner(key)], key);
            }
            Parts<char> sent(here_);
            for (std::size_t rank = 0; rank < here_.ranks; ++rank) {
                sent.counts[rank] = static_cast<int>(of_ranks[rank].size());
                sent.items.insert(sent.items.end(), of_ranks[rank].begin(), of_ranks[rank].end());
            }
            Words::for_each(exchange(here_, sent).items, [this](const Key& key) { ++counts_[key]; });
        } else {
            const auto sent = sort_by_rank<Key>(
                here_, keys_.size(), [this](std::size_t i) { return std::pair(owner(keys_[i]), keys_[i]); });
            for (const Key& key : exchange(here_, sent).items) {
                ++counts_[key];
            }
        }
    }
    [[nodiscard]] std::uint64_t sum() const override {
        std::uint64_t found = 0;
        for (const auto& [key, count] : counts_) {
            found += kernels::Keys::sum(key, count);
        }
        return found;
    }

  private:
    [[nodiscard]] std::uint64_t owner(const Key& key) const {
        return kernels::mix(std::hash<Key>{}(key)) % here_.ranks;
    }

    Place here_;
    std::vector<Key> keys_;
    std::unordered_map<Key, std::uint64_t> counts_;
};

std::unique_ptr<Kernel> make(const std::string& name) {
    const Place here = kernels::place();
    if (name == "histogram") {
        return std::make_unique<Histogram>(here);
    }
    if (name == "gather") {
        return std::make_unique<Gather>(here);
    }
    if (name == "counts") {
        return std::make_unique<Counts<std::uint64_t>>(here, kernels::Keys::all(here));
    }
    if (name == "words") {
        return std::make_unique<Counts<std::string>>(here, kernels::Keys::words(here));
    }
    return nullptr;
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int code = 2;
    if (const auto kernel = make(argc > 1 ? argv[1] : "")) {
        code = kernels::measure(*kernel, 5);
    } else {
        std::fprintf(stderr, "error: no such kernel\n");
    }
    MPI_Finalize();
    return code;
}
