// The kernels on YGM, as its examples and tests use it: `ygm NAME [EDGES]`.
#include <cstdlib>
#include <memory>
#include <ygm/comm.hpp>
#include <ygm/container/counting_set.hpp>

#include "kernels.hpp"

namespace {

using kernels::Kernel;
using kernels::Place;

class Histogram final : public Kernel {
  public:
    Histogram(ygm::comm& world, const Place& here)
        : world_(world), here_(here), accesses_(kernels::Table::accesses(here)),
          counts_(kernels::Table::places_of_rank), pointer_(world.make_ygm_ptr(counts_)) {}
    void prepare() override { std::fill(counts_.begin(), counts_.end(), 0); }
    void run() override {
        for (const std::uint64_t place : accesses_) {
            world_.async(
                static_cast<int>(place % here_.ranks), [](auto counts, std::uint64_t at) { ++(*counts)[at]; },
                pointer_, place / here_.ranks);
        }
        world_.barrier();
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum(here_, counts_); }

  private:
    ygm::comm& world_;
    Place here_;
    std::vector<std::uint64_t> accesses_, counts_;
    ygm::ygm_ptr<std::vector<std::uint64_t>> pointer_;
};

class Gather final : public Kernel {
  public:
    Gather(ygm::comm& world, const Place& here)
        : world_(world), here_(here), accesses_(kernels::Table::accesses(here)),
          values_(kernels::Table::values(here)), answers_(accesses_.size()),
          pointer_(world.make_ygm_ptr(*this)) {}
    void prepare() override { std::fill(answers_.begin(), answers_.end(), 0); }
    void run() override {
        for (std::uint64_t i = 0; i < accesses_.size(); ++i) {
            world_.async(
                static_cast<int>(accesses_[i] % here_.ranks),
                [](auto gather, std::uint64_t at, std::uint64_t slot, int from) {
                    gather->world_.async(
                        from,
                        [](auto asked, std::uint64_t place, std::uint64_t value) {
                            asked->answers_[place] = value;
                        },
                        gather->pointer_, slot, gather->values_[at]);
                },
                pointer_, accesses_[i] / here_.ranks, i, static_cast<int>(here_.rank));
        }
        world_.barrier();
    }
    [[nodiscard]] std::uint64_t sum() const override { return kernels::Table::sum_of_answers(answers_); }

  private:
    ygm::comm& world_;
    Place here_;
    std::vector<std::uint64_t> accesses_, values_, answers_;
    ygm::ygm_ptr<Gather> pointer_;
};

template <class Key>
class Counts final : public Kernel {
  public:
    Counts(ygm::comm& world, std::vector<Key> keys) : world_(world), keys_(std::move(keys)), set_(world) {}
    void prepare() override { set_.clear(); }
    void run() override {
        for (const Key& key : keys_) {
            set_.async_insert(key);
        }
        distinct_ = set_.size();
    }
    [[nodiscard]] std::uint64_t sum() const override {
        std::uint64_t found = 0;
        set_.local_for_all(
            [&found](const Key& key, std::size_t count) { found += kernels::Keys::sum(key, count); });
        return found;
    }

  private:
    ygm::comm& world_;
    std::vector<Key> keys_;
    ygm::container::counting_set<Key> set_;
    std::uint64_t distinct_ = 0;
};

class Sort final : public Kernel {
  public:
    Sort(ygm::comm& world, const Place& here)
        : world_(world), here_(here), matrix_(here), pointer_(world.make_ygm_ptr(*this)) {}
    void prepare() override { matrix_.prepare(); }
    void run() override {
        for (std::uint32_t row = 0; row < matrix_.count(); ++row) {
            if (matrix_.is_ready(row)) {
                find_column(row);
            }
        }
        world_.barrier();
    }
    [[nodiscard]] std::uint64_t sum() const override { return matrix_.sum(); }

  private:
    void find_column(std::uint32_t row) {
        const std::uint32_t column = matrix_.match(row);
        world_.async(
            static_cast<int>(column % here_.ranks),
            [](auto sort, std::uint32_t of, std::uint32_t level) { sort->tell_rows(of, level); }, pointer_,
            column, matrix_.level(row));
    }
    void tell_rows(std::uint32_t column, std::uint32_t level) {
        matrix_.for_rows(column / static_cast<std::uint32_t>(here_.ranks), [&](std::uint32_t row) {
            world_.async(
                static_cast<int>(row % here_.ranks),
                [](auto sort, std::uint32_t own, std::uint32_t of, std::uint32_t at) {
                    if (sort->matrix_.take(own, of, at)) {
                        sort->find_column(own);
                    }
                },
                pointer_, row / static_cast<std::uint32_t>(here_.ranks), column, level);
        });
    }

    ygm::comm& world_;
    Place here_;
    kernels::Matrix matrix_;
    ygm::ygm_ptr<Sort> pointer_;
};

class Triangles final : public Kernel {
  public:
    Triangles(ygm::comm& world, const Place& here, const std::string& file)
        : world_(world), here_(here), graph_(here, file), pointer_(world.make_ygm_ptr(graph_)) {}
    void prepare() override { graph_.prepare(); }
    void run() override {
        for (std::uint64_t local = 0; local < graph_.count(); ++local) {
            graph_.close_pairs(local, [&](std::uint32_t middle, std::uint32_t last) {
                world_.async(
                    static_cast<int>(middle % here_.ranks),
                    [](auto graph, std::uint32_t own, std::uint32_t other) { graph->answer(own, other); },
                    pointer_, middle, last);
            });
        }
        world_.barrier();
    }
    [[nodiscard]] std::uint64_t sum() const override { return graph_.triangles(); }

  private:
    ygm::comm& world_;
    Place here_;
    kernels::Graph graph_;
    ygm::ygm_ptr<kernels::Graph> pointer_;
};

std::unique_ptr<Kernel> make(ygm::comm& world, const std::string& name, const std::string& file) {
    const Place here = kernels::place();
    if (name == "histogram") {
        return std::make_unique<Histogram>(world, here);
    }
    if (name == "gather") {
        return std::make_unique<Gather>(world, here);
    }
    if (name == "counts") {
        return std::make_unique<Counts<std::uint64_t>>(world, kernels::Keys::all(here));
    }
    if (name == "words") {
        return std::make_unique<Counts<std::string>>(world, kernels::Keys::words(here));
    }
    if (name == "toposort") {
        return std::make_unique<Sort>(world, here);
    }
    if (name == "triangles") {
        return std::make_unique<Triangles>(world, here, file);
    }
    return nullptr;
}

} // namespace

int main(int argc, char** argv) {
    ygm::comm world(&argc, &argv);
    const auto kernel = make(world, argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    if (!kernel) {
        std::fprintf(stderr, "error: no such kernel\n");
        return 2;
    }
    return kernels::measure(*kernel, 5);
}
