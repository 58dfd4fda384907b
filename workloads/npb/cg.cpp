// CG, "conjugate gradient" [1, section 2.2.3]: the smallest eigenvalue of a sparse symmetric matrix by
// inverse iteration.
//
// A = sum_i w_i v_i v_i^T + (0.1 - shift) I, of order n, with weights that fall from 1 to 0.1 geometrically
// and random sparse vectors v_i, whose element i is 1/2. Inverse iteration repeats: solve A z = x by 25 steps
// of conjugate gradients [2], zeta = shift + 1 / (x.z), x = z / ||z||. Almost all time is in q = A p. It
// measures irregular access to memory, and how soon threads can agree: three times a step, 26 steps a
// solution.
//
// Encoding: compressed rows, columns ascending, in 16 bits where the order allows: a product reads every
// element once, and is as fast as memory gives them. A row is made by going through the vectors that meet it,
// so that no element is ever stored twice. Each thread owns a run of rows of about equal numbers of elements,
// and the same run of all vectors; inner products are added in the order of threads, so a result depends on
// their number alone.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] M. R. Hestenes, E. Stiefel, Methods of conjugate gradients, J. Res. NBS 49(6), 1952,
// doi:10.6028/jres.049.044.

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "npb/kernel.hpp"
#include "npb/random.hpp"

namespace goodsyard::npb {
namespace {

struct Size {
    std::uint32_t order;
    std::size_t nonzeros; ///< Random ones of a v_i.
    int iterations;
    double shift;
    double zeta; ///< Official.
};

constexpr Size size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {1400, 7, 15, 10, 8.5971775078648};
    case ProblemClass::W:
        return {7000, 8, 15, 12, 10.362595087124};
    case ProblemClass::A:
        return {14000, 11, 15, 20, 17.130235054029};
    case ProblemClass::B:
        return {75000, 13, 75, 60, 22.712745482631};
    }
    return {};
}

constexpr double condition = 0.1; ///< The last weight; the first is 1.
constexpr int steps = 25;

using Vector = std::vector<double>;

/// Memory that is not touched before it is written: what is reserved in vain costs nothing.
template <typename T>
std::unique_ptr<T[]> reserve(std::size_t count) {
    return std::make_unique_for_overwrite<T[]>(count);
}

/// The random vectors v_i, one after the other; v_i begins at first[i].
struct SparseVectors {
    std::vector<std::uint32_t> index;
    std::vector<double> value;
    std::vector<std::size_t> first;
};

SparseVectors draw_vectors(const Size& size) {
    const double range = std::bit_ceil(size.order);
    Random random(Random::seed, 1); // The rules draw one number before.
    SparseVectors vectors{{}, {}, {0}};
    vectors.index.reserve(size.order * (size.nonzeros + 1));
    vectors.value.reserve(size.order * (size.nonzeros + 1));
    const auto append = [&](std::uint32_t index, double value) {
        vectors.index.push_back(index);
        vectors.value.push_back(value);
    };
    for (std::uint32_t i = 0; i < size.order; ++i) {
        const std::size_t first = vectors.first.back();
        const auto find = [&](std::uint32_t index) {
            return std::find(vectors.index.begin() + static_cast<std::ptrdiff_t>(first), vectors.index.end(),
                             index);
        };
        while (vectors.index.size() < first + size.nonzeros) {
            const double value = random();
            const auto index = static_cast<std::uint32_t>(range * random());
            if (index < size.order && find(index) == vectors.index.end()) {
                append(index, value);
            }
        }
        if (const auto local = find(i); local != vectors.index.end()) {
            vectors.value[static_cast<std::size_t>(local - vectors.index.begin())] = 0.5;
        } else {
            append(i, 0.5);
        }
        vectors.first.push_back(vectors.index.size());
    }
    return vectors;
}

/// For each index the vectors that have it, and where: those of index i begin at first[i].
struct Meeting {
    std::vector<std::uint32_t> vector, element;
    std::vector<std::size_t> first;
};

Meeting transpose(const SparseVectors& vectors, std::uint32_t order) {
    const std::size_t count = vectors.index.size();
    Meeting meeting{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count),
                    std::vector<std::size_t>(order + 1)};
    for (const std::uint32_t index : vectors.index) {
        ++meeting.first[index + 1];
    }
    std::partial_sum(meeting.first.begin(), meeting.first.end(), meeting.first.begin());
    std::vector<std::size_t> next(meeting.first.begin(), meeting.first.end() - 1);
    for (std::uint32_t i = 0; i < order; ++i) {
        for (std::size_t k = vectors.first[i]; k < vectors.first[i + 1]; ++k) {
            const std::size_t place = next[vectors.index[k]]++;
            meeting.vector[place] = i;
            meeting.element[place] = static_cast<std::uint32_t>(k);
        }
    }
    return meeting;
}

/// `Index` holds any column.
template <typename Index>
class Matrix {
  public:
    explicit Matrix(const Size& size) {
        const SparseVectors vectors = draw_vectors(size);
        const Meeting meeting = transpose(vectors, size.order);
        const std::size_t most = size.order * (size.nonzeros + 1) * (size.nonzeros + 1);
        columns_ = reserve<Index>(most);
        values_ = reserve<double>(most);
        first_.assign(size.order + 1, 0);

        std::vector<double> weights(size.order);
        for (std::uint32_t i = 0; i < size.order; ++i) {
            weights[i] = std::pow(condition, static_cast<double>(i) / size.order);
        }

        std::vector<double> row(size.order);
        std::vector<std::uint32_t> met;
        std::vector<bool> is_met(size.order);
        for (std::uint32_t i = 0; i < size.order; ++i) {
            const auto add = [&](std::uint32_t column, double value) {
                if (!is_met[column]) {
                    is_met[column] = true;
                    met.push_back(column);
                }
                row[column] += value;
            };
            for (std::size_t k = meeting.first[i]; k < meeting.first[i + 1]; ++k) {
                const std::uint32_t vector = meeting.vector[k];
                const double scale = weights[vector] * vectors.value[meeting.element[k]];
                for (std::size_t l = vectors.first[vector]; l < vectors.first[vector + 1]; ++l) {
                    add(vectors.index[l], scale * vectors.value[l]);
                }
            }
            add(i, condition - size.shift);
            append(met, row, is_met);
            first_[i + 1] = count_;
        }
    }

    [[nodiscard]] std::size_t rows() const { return first_.size() - 1; }

    /// Where the run of rows begins that is the given one of `parts` with about equal numbers of elements.
    [[nodiscard]] std::size_t cut(std::size_t part, std::size_t parts) const {
        const auto first = std::lower_bound(first_.begin(), first_.end(), count_ * part / parts);
        return static_cast<std::size_t>(first - first_.begin());
    }

    /// Row i times x. Four partial sums: with one, each element would wait for the sum before it.
    double times(std::size_t i, const double* x) const {
        const std::size_t end = first_[i + 1];
        std::size_t k = first_[i];
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (; k + 4 <= end; k += 4) {
            s0 += values_[k] * x[columns_[k]];
            s1 += values_[k + 1] * x[columns_[k + 1]];
            s2 += values_[k + 2] * x[columns_[k + 2]];
            s3 += values_[k + 3] * x[columns_[k + 3]];
        }
        for (; k < end; ++k) {
            s0 += values_[k] * x[columns_[k]];
        }
        return (s0 + s1) + (s2 + s3);
    }

  private:
    /// Write down a row, and empty what it was collected in.
    void append(std::vector<std::uint32_t>& met, std::vector<double>& row, std::vector<bool>& is_met) {
        std::sort(met.begin(), met.end());
        for (const std::uint32_t column : met) {
            columns_[count_] = static_cast<Index>(column);
            values_[count_++] = row[column];
            row[column] = 0;
            is_met[column] = false;
        }
        met.clear();
    }

    std::unique_ptr<Index[]> columns_;
    std::unique_ptr<double[]> values_;
    std::vector<std::size_t> first_; ///< Of each row, and the end.
    std::size_t count_ = 0;
};

/// Adds up what each thread of a team has, for all of them. Calls take turns with two places: a thread that
/// writes to one has passed the barrier of the call between, which every reader of the last sum in that place
/// reached after reading.
class TeamSum {
  public:
    TeamSum() : own_(static_cast<std::size_t>(omp_get_max_threads())) {}

    double operator()(double value) {
        Padded& local = own_[static_cast<std::size_t>(omp_get_thread_num())];
        const std::size_t place = local.calls++ % 2;
        local.value[place] = value;
#pragma omp barrier
        double sum = 0;
        for (const Padded& padded : own_) {
            sum += padded.value[place];
        }
        return sum;
    }

  private:
    struct alignas(64) Padded {
        std::array<double, 2> value{};
        std::size_t calls = 0;
    };
    std::vector<Padded> own_;
};

template <typename Index>
class Cg : public Kernel {
  public:
    explicit Cg(ProblemClass size) : size_(size_of(size)) {}

    void prepare() override {
        matrix_ = std::make_unique<Matrix<Index>>(size_);
        x_ = z_ = r_ = p_ = q_ = Vector(matrix_->rows());
        iterate(1);
    }

    void solve() override { iterate(size_.iterations); }

    std::vector<Check> verify() override { return {{"zeta", zeta_, size_.zeta, 1e-10}}; }

    [[nodiscard]] double operations() const override {
        const double row = static_cast<double>(size_.nonzeros * (size_.nonzeros + 1));
        return 2.0 * size_.iterations * size_.order * (3 + row + steps * (5 + row) + 3);
    }

  private:
    /// Inverse iteration from a vector of ones.
    void iterate(int iterations) {
        TeamSum sum;
#pragma omp parallel
        {
            const auto local = static_cast<std::size_t>(omp_get_thread_num());
            const auto threads = static_cast<std::size_t>(omp_get_num_threads());
            const Rows rows{matrix_->cut(local, threads), matrix_->cut(local + 1, threads)};
            std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(rows.begin), rows.end - rows.begin, 1.0);
            for (int i = 0; i < iterations; ++i) {
                invert(rows, sum);
                double xz = 0, zz = 0;
                for (std::size_t j = rows.begin; j < rows.end; ++j) {
                    xz += x_[j] * z_[j];
                    zz += z_[j] * z_[j];
                }
                xz = sum(xz);
                const double scale = 1 / std::sqrt(sum(zz));
                for (std::size_t j = rows.begin; j < rows.end; ++j) {
                    x_[j] = scale * z_[j];
                }
                if (local == 0) {
                    zeta_ = size_.shift + 1 / xz;
                }
            }
        }
    }

    struct Rows {
        std::size_t begin, end;
    };

    /// Approach z with A z = x by conjugate gradients; called by all threads of a team, each with its rows.
    void invert(Rows rows, TeamSum& sum) {
        double rho = 0;
        for (std::size_t j = rows.begin; j < rows.end; ++j) {
            z_[j] = 0;
            p_[j] = r_[j] = x_[j];
            rho += x_[j] * x_[j];
        }
        rho = sum(rho);
        for (int step = 0; step < steps; ++step) {
            double pq = 0;
            for (std::size_t j = rows.begin; j < rows.end; ++j) {
                q_[j] = matrix_->times(j, p_.data());
                pq += p_[j] * q_[j];
            }
            const double alpha = rho / sum(pq);
            const double before = rho;
            rho = 0;
            for (std::size_t j = rows.begin; j < rows.end; ++j) {
                z_[j] += alpha * p_[j];
                r_[j] -= alpha * q_[j];
                rho += r_[j] * r_[j];
            }
            rho = sum(rho);
            const double beta = rho / before;
            for (std::size_t j = rows.begin; j < rows.end; ++j) {
                p_[j] = r_[j] + beta * p_[j];
            }
#pragma omp barrier
        }
        // The rules ask for the norm of x - A z, which nothing depends on.
        double norm = 0;
        for (std::size_t j = rows.begin; j < rows.end; ++j) {
            const double distance = x_[j] - matrix_->times(j, z_.data());
            norm += distance * distance;
        }
        residual_ = std::sqrt(sum(norm));
    }

    Size size_;
    std::unique_ptr<Matrix<Index>> matrix_;
    Vector x_, z_, r_, p_, q_;
    double zeta_ = std::numeric_limits<double>::quiet_NaN();
    double residual_ = 0;
};

} // namespace

std::unique_ptr<Kernel> make_cg(ProblemClass size) {
    if (size_of(size).order <= std::numeric_limits<std::uint16_t>::max()) {
        return std::make_unique<Cg<std::uint16_t>>(size);
    }
    return std::make_unique<Cg<std::uint32_t>>(size);
}

} // namespace goodsyard::npb
