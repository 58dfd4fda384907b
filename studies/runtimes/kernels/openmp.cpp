// The kernels that threads of one process do without any runtime: `openmp NAME`, on OMP_NUM_THREADS threads.
// The table is shared; a thread counts where another may count by an atomic addition.
#include <omp.h>

#include "kernels.hpp"

namespace {

using kernels::Kernel;
using kernels::Place;
using kernels::Table;

Place of_thread() {
    return {static_cast<std::uint64_t>(omp_get_thread_num()),
            static_cast<std::uint64_t>(omp_get_num_threads())};
}

/// What each thread has in place of a rank.
std::vector<std::vector<std::uint64_t>> accesses_of_threads() {
    std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    found[of_thread().rank] = Table::accesses(of_thread());
    return found;
}

class Histogram final : public Kernel {
  public:
    Histogram() : accesses_(accesses_of_threads()), counts_(Table::places_of_rank * accesses_.size()) {}
    void prepare() override { std::fill(counts_.begin(), counts_.end(), 0); }
    void run() override {
#pragma omp parallel
        for (const std::uint64_t place : accesses_[of_thread().rank]) {
#pragma omp atomic
            ++counts_[place];
        }
    }
    [[nodiscard]] std::uint64_t sum() const override { return Table::sum({0, 1}, counts_); }

  private:
    std::vector<std::vector<std::uint64_t>> accesses_;
    std::vector<std::uint64_t> counts_;
};

class Gather final : public Kernel {
  public:
    Gather() : accesses_(accesses_of_threads()), answers_(accesses_.size()) {
        values_.resize(Table::places_of_rank * accesses_.size());
        for (std::uint64_t i = 0; i < values_.size(); ++i) {
            values_[i] = kernels::mix(i);
        }
#pragma omp parallel
        answers_[of_thread().rank].resize(Table::accesses_of_rank);
    }
    void prepare() override {
        for (auto& answers : answers_) {
            std::fill(answers.begin(), answers.end(), 0);
        }
    }
    void run() override {
#pragma omp parallel
        {
            const std::vector<std::uint64_t>& accesses = accesses_[of_thread().rank];
            std::vector<std::uint64_t>& answers = answers_[of_thread().rank];
            for (std::size_t i = 0; i < accesses.size(); ++i) {
                answers[i] = values_[accesses[i]];
            }
        }
    }
    [[nodiscard]] std::uint64_t sum() const override {
        std::uint64_t found = 0;
        for (const auto& answers : answers_) {
            found += Table::sum_of_answers(answers);
        }
        return found;
    }

  private:
    std::vector<std::vector<std::uint64_t>> accesses_, answers_;
    std::vector<std::uint64_t> values_;
};

int measure(const std::string& name) {
    if (name == "histogram") {
        Histogram kernel;
        return kernels::measure(kernel, 5);
    }
    if (name == "gather") {
        Gather kernel;
        return kernels::measure(kernel, 5);
    }
    std::fprintf(stderr, "error: no such kernel\n");
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = measure(argc > 1 ? argv[1] : "");
    MPI_Finalize();
    return code;
}
