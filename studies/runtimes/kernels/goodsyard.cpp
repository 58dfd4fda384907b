// The kernels on Goodsyard, as its examples use it: `goodsyard --kernel KERNEL [OPTIONS]`. By messages,
// histogram and gather send functions, as YGM does, in place of items of a channel.
#include "kernels.hpp"

#include <goodsyard/containers.hpp>
#include <goodsyard/mpi.hpp>

namespace {

using namespace goodsyard::runtime;
using goodsyard::World;
using goodsyard::global::Messages;
using kernels::Kernel;
using kernels::Place;

/// Of a rank's own items, between looks for messages.
constexpr std::size_t piece = 1024;

class Histogram final : public Kernel {
  public:
    Histogram(Runtime& runtime, const Place& here)
        : runtime_(runtime), here_(here), accesses_(kernels::Table::accesses(here)),
          counts_(kernels::Table::places_of_rank), channel_(runtime) {
        channel_.on_receipt([this](std::uint64_t at) { ++counts_[at]; });
    }
    void prepare() override { std::fill(counts_.begin(), counts_.end(), 0); }
    void run() override {
        runtime_.epoch_over(accesses_.size(), piece, [this](std::size_t i) {
            channel_.send(static_cast<int>(accesses_[i] % here_.ranks), accesses_[i] / here_.ranks);
        });
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum(here_, counts_); }

  private:
    Runtime& runtime_;
    Place here_;
    std::vector<std::uint64_t> accesses_, counts_;
    Channel<std::uint64_t> channel_;
};

/// The same by functions that other ranks execute on their table.
class HistogramOfMessages final : public Kernel {
  public:
    HistogramOfMessages(const World& world, Messages& messages, const Place& here)
        : messages_(messages), here_(here), accesses_(kernels::Table::accesses(here)),
          counts_(kernels::Table::places_of_rank), everywhere_(world, counts_) {}
    void prepare() override { std::fill(counts_.begin(), counts_.end(), 0); }
    void run() override {
        messages_.runtime().epoch_over(accesses_.size(), piece, [this](std::size_t i) {
            messages_.async(
                everywhere_.on(static_cast<int>(accesses_[i] % here_.ranks)),
                [](std::vector<std::uint64_t>& counts, std::uint64_t at) { ++counts[at]; },
                accesses_[i] / here_.ranks);
        });
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum(here_, counts_); }

  private:
    Messages& messages_;
    Place here_;
    std::vector<std::uint64_t> accesses_, counts_;
    goodsyard::global::Symmetric<std::vector<std::uint64_t>> everywhere_;
};

class Gather final : public Kernel {
  public:
    Gather(Runtime& runtime, const Place& here)
        : runtime_(runtime), ranks_(here.ranks), accesses_(kernels::Table::accesses(here)),
          values_(kernels::Table::values(here)), answers_(accesses_.size()), questions_(runtime),
          answered_(runtime) {
        questions_.on_receipt(
            [this](const Item& item, int from) { answered_.send(from, {values_[item.value], item.slot}); });
        answered_.on_receipt([this](const Item& item) { answers_[item.slot] = item.value; });
    }
    void prepare() override { std::fill(answers_.begin(), answers_.end(), 0); }
    void run() override {
        runtime_.epoch_over(accesses_.size(), piece, [this](std::size_t i) {
            questions_.send(static_cast<int>(accesses_[i] % ranks_), {accesses_[i] / ranks_, i});
        });
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum_of_answers(answers_); }

  private:
    struct Item {
        std::uint64_t value; ///< Or the place of the one that is asked for.
        std::uint64_t slot;
    };

    Runtime& runtime_;
    std::uint64_t ranks_;
    std::vector<std::uint64_t> accesses_, values_, answers_;
    Channel<Item> questions_, answered_;
};

/// The same by functions.
class GatherOfMessages final : public Kernel {
  public:
    GatherOfMessages(const World& world, Messages& messages, const Place& here)
        : messages_(messages), here_(here), accesses_(kernels::Table::accesses(here)),
          values_(kernels::Table::values(here)), answers_(accesses_.size()), everywhere_(world, *this) {}
    void prepare() override { std::fill(answers_.begin(), answers_.end(), 0); }
    void run() override {
        messages_.runtime().epoch_over(accesses_.size(), piece, [this](std::size_t i) {
            messages_.async(
                everywhere_.on(static_cast<int>(accesses_[i] % here_.ranks)),
                [](Messages& here, int from, GatherOfMessages& gather, std::uint64_t at, std::uint64_t slot) {
                    here.async(
                        gather.everywhere_.on(from),
                        [](GatherOfMessages& asked, std::uint64_t place, std::uint64_t value) {
                            asked.answers_[place] = value;
                        },
                        slot, gather.values_[at]);
                },
                accesses_[i] / here_.ranks, std::uint64_t{i});
        });
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum_of_answers(answers_); }

  private:
    Messages& messages_;
    Place here_;
    std::vector<std::uint64_t> accesses_, values_, answers_;
    goodsyard::global::Symmetric<GatherOfMessages> everywhere_;
};

template <class Key>
class Counts final : public Kernel {
  public:
    Counts(const World& world, Messages& messages, std::vector<Key> keys)
        : keys_(std::move(keys)), set_(std::make_unique<Set>(world, messages)) {}
    void prepare() override { set_->clear(); }
    void run() override {
        for (const Key& key : keys_) {
            set_->async_insert(key);
        }
        static_cast<void>(set_->size());
    }
    [[nodiscard]] std::uint64_t sum() const override {
        std::uint64_t found = 0;
        set_->for_all(
            [&found](const Key& key, std::uint64_t count) { found += kernels::Keys::sum(key, count); });
        return found;
    }

  private:
    using Set = goodsyard::containers::CountingSet<Key>;

    std::vector<Key> keys_;
    std::unique_ptr<Set> set_;
};

class Sort final : public Kernel {
  public:
    Sort(Runtime& runtime, const Place& here)
        : runtime_(runtime), ranks_(static_cast<std::uint32_t>(here.ranks)), matrix_(here), columns_(runtime),
          rows_(runtime) {
        columns_.on_receipt([this](const Column& found) {
            matrix_.for_rows(found.column / ranks_, [&](std::uint32_t row) {
                rows_.send(static_cast<int>(row % ranks_), {row / ranks_, found.column, found.level});
            });
        });
        rows_.on_receipt([this](const Row& told) {
            if (matrix_.take(told.row, told.column, told.level)) {
                find_column(told.row);
            }
        });
    }
    void prepare() override { matrix_.prepare(); }
    void run() override {
        runtime_.epoch_over(matrix_.count(), piece, [this](std::size_t row) {
            if (matrix_.is_ready(static_cast<std::uint32_t>(row))) {
                find_column(static_cast<std::uint32_t>(row));
            }
        });
    }
    [[nodiscard]] std::uint64_t sum() const override { return matrix_.sum(); }

  private:
    struct Column {
        std::uint32_t column;
        std::uint32_t level;
    };
    struct Row {
        std::uint32_t row;
        std::uint32_t column;
        std::uint32_t level;
    };
    void find_column(std::uint32_t row) {
        const std::uint32_t column = matrix_.match(row);
        columns_.send(static_cast<int>(column % ranks_), {column, matrix_.level(row)});
    }

    Runtime& runtime_;
    std::uint32_t ranks_;
    kernels::Matrix matrix_;
    Channel<Column> columns_;
    Channel<Row> rows_;
};

class Triangles final : public Kernel {
  public:
    Triangles(Runtime& runtime, const Place& here, const std::string& file)
        : runtime_(runtime), here_(here), graph_(here, file), questions_(runtime) {
        questions_.on_receipt([this](const Item& item) { graph_.answer(item.middle, item.last); });
    }
    void prepare() override { graph_.prepare(); }
    void run() override {
        runtime_.epoch_over(graph_.count(), 1, [this](std::size_t local) {
            graph_.close_pairs(local, [&](std::uint32_t middle, std::uint32_t last) {
                questions_.send(static_cast<int>(middle % here_.ranks), {middle, last});
            });
        });
    }
    [[nodiscard]] std::uint64_t sum() const override { return graph_.triangles(); }

  private:
    struct Item {
        std::uint32_t middle;
        std::uint32_t last;
    };

    Runtime& runtime_;
    Place here_;
    kernels::Graph graph_;
    Channel<Item> questions_;
};

std::unique_ptr<Kernel> make(const World& world, Messages& messages, const std::string& name,
                             const std::string& file, bool by_messages) {
    const Place here = kernels::place();
    if (by_messages && name == "histogram") {
        return std::make_unique<HistogramOfMessages>(world, messages, here);
    }
    if (by_messages && name == "gather") {
        return std::make_unique<GatherOfMessages>(world, messages, here);
    }
    if (by_messages) {
        throw goodsyard::UsageError("--by-messages: histogram and gather alone have items of channels");
    }
    Runtime& runtime = messages.runtime();
    if (name == "histogram") {
        return std::make_unique<Histogram>(runtime, here);
    }
    if (name == "gather") {
        return std::make_unique<Gather>(runtime, here);
    }
    if (name == "counts") {
        return std::make_unique<Counts<std::uint64_t>>(world, messages, kernels::Keys::all(here));
    }
    if (name == "words") {
        return std::make_unique<Counts<std::string>>(world, messages, kernels::Keys::words(here));
    }
    if (name == "toposort") {
        return std::make_unique<Sort>(runtime, here);
    }
    if (name == "triangles") {
        return std::make_unique<Triangles>(runtime, here, file);
    }
    throw goodsyard::UsageError("no kernel is called '" + name + "'");
}

} // namespace

int main(int argc, char** argv) {
    const goodsyard::Session session(argc, argv);
    Parameters parameters;
    std::string name, edges;
    bool by_messages = false;
    int code = 0;
    goodsyard::Program<World> program{.name = "goodsyard",
                                      .description = "Kernels that other runtimes have, too."};
    program.declare = [&](goodsyard::Options& options) {
        declare(options, parameters);
        options.add("--kernel", name, "histogram, gather, counts, words, toposort or triangles");
        options.flag("--by-messages", by_messages, "Send functions, where items of a channel would do");
        options.add("--edges", edges, "triangles: a text with an edge a line");
    };
    program.body = [&](const World& world) {
        const auto transport = make_transport(world, parameters);
        Runtime runtime(*transport, parameters);
        Messages messages(runtime);
        const auto kernel = make(world, messages, name, edges, by_messages);
        code = kernels::measure(*kernel, 5);
    };
    return std::max(code, goodsyard::run(session, argc, argv, program));
}
