// The kernels on conveyors, with the loops of bale's own programs: `conveyors NAME [EDGES]`.
extern "C" {
#include <convey.h>
/// Starts MPI as conveyors that are built with it need it; their examples declare it so.
int xmpi_init(int argc, char** argv);
}

#include "kernels.hpp"

namespace {

using kernels::Kernel;
using kernels::Place;

/// A conveyor of items for random ranks, as bale's programs make it.
template <class Item>
class Conveyor {
  public:
    explicit Conveyor(std::uint64_t options = 0)
        : conveyor_(check(convey_new(SIZE_MAX, 0, nullptr, convey_opt_SCATTER | options))) {
        check(convey_begin(conveyor_, sizeof(Item), 0) == convey_OK ? conveyor_ : nullptr);
    }
    Conveyor(const Conveyor&) = delete;
    Conveyor& operator=(const Conveyor&) = delete;
    ~Conveyor() { convey_free(conveyor_); }

    bool push(const Item& item, std::uint64_t rank) {
        return convey_push(conveyor_, &item, static_cast<std::int64_t>(rank)) == convey_OK;
    }
    bool pull(Item& item) { return convey_pull(conveyor_, &item, nullptr) == convey_OK; }
    bool pull(Item& item, std::int64_t& from) { return convey_pull(conveyor_, &item, &from) == convey_OK; }
    void unpull() { convey_unpull(conveyor_); }
    bool advance(bool done) { return convey_advance(conveyor_, done) != convey_DONE; }

  private:
    static convey_t* check(convey_t* conveyor) {
        if (conveyor == nullptr) {
            std::fprintf(stderr, "error: no conveyor could be made\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        return conveyor;
    }

    convey_t* conveyor_;
};

class Histogram final : public Kernel {
  public:
    explicit Histogram(const Place& here)
        : here_(here), accesses_(kernels::Table::accesses(here)), counts_(kernels::Table::places_of_rank) {}
    void prepare() override {
        std::fill(counts_.begin(), counts_.end(), 0);
        conveyor_ = std::make_unique<Conveyor<std::uint64_t>>();
    }
    void run() override {
        std::size_t i = 0;
        while (conveyor_->advance(i == accesses_.size())) {
            for (; i < accesses_.size(); ++i) {
                if (!conveyor_->push(accesses_[i] / here_.ranks, accesses_[i] % here_.ranks)) {
                    break;
                }
            }
            for (std::uint64_t at = 0; conveyor_->pull(at);) {
                ++counts_[at];
            }
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum(here_, counts_); }

  private:
    Place here_;
    std::vector<std::uint64_t> accesses_, counts_;
    std::unique_ptr<Conveyor<std::uint64_t>> conveyor_;
};

class Gather final : public Kernel {
  public:
    explicit Gather(const Place& here)
        : accesses_(kernels::Table::accesses(here)), ranks_(here.ranks),
          values_(kernels::Table::values(here)), answers_(accesses_.size()) {}
    void prepare() override {
        std::fill(answers_.begin(), answers_.end(), 0);
        asked_ = std::make_unique<Conveyor<Item>>();
        answered_ = std::make_unique<Conveyor<Item>>();
    }
    void run() override {
        std::size_t i = 0;
        for (bool is_asking = true; is_asking = asked_->advance(i == accesses_.size()),
                  is_asking | answered_->advance(!is_asking);) {
            for (; i < accesses_.size(); ++i) {
                if (!asked_->push({accesses_[i] / ranks_, i}, accesses_[i] % ranks_)) {
                    break;
                }
            }
            Item item{};
            for (std::int64_t from = 0; asked_->pull(item, from);) {
                if (!answered_->push({values_[item.value], item.slot}, static_cast<std::uint64_t>(from))) {
                    asked_->unpull();
                    break;
                }
            }
            while (answered_->pull(item)) {
                answers_[item.slot] = item.value;
            }
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum_of_answers(answers_); }

  private:
    struct Item {
        std::uint64_t value; ///< Or the place of the one that is asked for.
        std::uint64_t slot;
    };

    std::vector<std::uint64_t> accesses_;
    std::uint64_t ranks_;
    std::vector<std::uint64_t> values_, answers_;
    std::unique_ptr<Conveyor<Item>> asked_, answered_;
};

class Sort final : public Kernel {
  public:
    explicit Sort(const Place& here) : here_(here), matrix_(here) {}
    void prepare() override {
        matrix_.prepare();
        conveyor_ = std::make_unique<Conveyor<Item>>(convey_opt_PROGRESS);
    }
    void run() override {
        const auto ranks = static_cast<std::uint32_t>(here_.ranks);
        const std::uint32_t own = matrix_.count();
        std::vector<std::uint32_t> ready;
        std::vector<Item> found, told; // Columns; what has to be told of the one that is worked on.
        for (std::uint32_t row = 0; row < own; ++row) {
            if (matrix_.is_ready(row)) {
                ready.push_back(row);
            }
        }
        std::uint32_t rows_done = 0, columns_done = 0;
        std::size_t at = 0;
        while (conveyor_->advance(rows_done == own && columns_done == own && at == told.size())) {
            bool is_full = false;
            for (; !is_full && rows_done < ready.size(); rows_done += is_full ? 0 : 1) {
                const std::uint32_t row = ready[rows_done], column = matrix_.match(row);
                is_full = !conveyor_->push({of_column, column, matrix_.level(row)}, column % ranks);
            }
            while (!is_full) {
                if (at == told.size()) {
                    if (columns_done == found.size()) {
                        break;
                    }
                    const Item& next = found[columns_done++];
                    told.clear();
                    at = 0;
                    matrix_.for_rows(next.column / ranks, [&](std::uint32_t row) {
                        told.push_back({row, next.column, next.level});
                    });
                    continue;
                }
                const Item& item = told[at];
                is_full = !conveyor_->push({item.row / ranks, item.column, item.level}, item.row % ranks);
                at += is_full ? 0 : 1;
            }
            for (Item item{}; conveyor_->pull(item);) {
                if (item.row == of_column) {
                    found.push_back(item);
                } else if (matrix_.take(item.row, item.column, item.level)) {
                    ready.push_back(item.row);
                }
            }
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return matrix_.sum(); }

  private:
    struct Item {
        std::uint32_t row;
        std::uint32_t column;
        std::uint32_t level;
    };
    /// In place of a row: the column has been found.
    static constexpr std::uint32_t of_column = 0xFFFFFFFFU;

    Place here_;
    kernels::Matrix matrix_;
    std::unique_ptr<Conveyor<Item>> conveyor_;
};

class Triangles final : public Kernel {
  public:
    Triangles(const Place& here, const std::string& file) : here_(here), graph_(here, file) {}
    void prepare() override {
        graph_.prepare();
        conveyor_ = std::make_unique<Conveyor<Item>>();
    }
    void run() override {
        for (std::uint64_t local = 0; local < graph_.count(); ++local) {
            graph_.close_pairs(local, [&](std::uint32_t middle, std::uint32_t last) {
                const Item item{static_cast<std::uint32_t>(middle), last};
                while (!conveyor_->push(item, middle % here_.ranks)) {
                    conveyor_->advance(false);
                    answer();
                }
            });
        }
        while (conveyor_->advance(true)) {
            answer();
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return graph_.triangles(); }

  private:
    struct Item {
        std::uint32_t middle;
        std::uint32_t last;
    };
    void answer() {
        for (Item item{}; conveyor_->pull(item);) {
            graph_.answer(item.middle, item.last);
        }
    }

    Place here_;
    kernels::Graph graph_;
    std::unique_ptr<Conveyor<Item>> conveyor_;
};

std::unique_ptr<Kernel> make(const std::string& name, const std::string& file) {
    const Place here = kernels::place();
    if (name == "histogram") {
        return std::make_unique<Histogram>(here);
    }
    if (name == "gather") {
        return std::make_unique<Gather>(here);
    }
    if (name == "toposort") {
        return std::make_unique<Sort>(here);
    }
    if (name == "triangles") {
        return std::make_unique<Triangles>(here, file);
    }
    return nullptr;
}

int measure(const std::string& name, const std::string& file) {
    const auto kernel = make(name, file);
    if (!kernel) {
        std::fprintf(stderr, "error: no such kernel\n");
        return 2;
    }
    return kernels::measure(*kernel, 5);
}

} // namespace

int main(int argc, char** argv) {
    argc = xmpi_init(argc, argv);
    const int code = measure(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    MPI_Finalize();
    return code;
}
