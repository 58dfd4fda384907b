// The kernels without a runtime: inputs by seed and index, so that any rank can draw any part of them, sums
// that tell whether results agree, the measuring loop, and the lines that it writes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collection.hpp"

namespace kernels {

/// A bijection of 64 bits (Steele, Lea, Flood 2014, DOI 10.1145/2660193.2660195).
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}
/// The number of this index: uniform over 64 bits.
constexpr std::uint64_t draw(std::uint64_t index) {
    return mix(1 + (index + 1) * 0x9E3779B97F4A7C15U);
}
/// The same below a limit of at most 2^32.
constexpr std::uint64_t draw_below(std::uint64_t limit, std::uint64_t index) {
    return ((draw(index) >> 32) * limit) >> 32;
}

/// This process among all.
struct Place {
    std::uint64_t rank;
    std::uint64_t ranks;
};
} // namespace kernels

#ifdef GOODSYARD_VIRTUAL
#include "virtual_ranks.hpp"
#else
#include "mpi_ranks.hpp"
#endif

namespace kernels {

/// A kernel on a runtime.
class Kernel {
  public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel() = default;
    /// Forget an earlier run.
    virtual void prepare() = 0;
    /// Collective, and timed.
    virtual void run() = 0;
    /// This rank's part of a sum over what was computed; it does not depend on the number of ranks unless
    /// the input does.
    [[nodiscard]] virtual std::uint64_t sum() const = 0;
};

/// Tables of counts and values are dealt to ranks in turn.
struct Table {
    static constexpr std::uint64_t places_of_rank = 1U << 20U;
    static constexpr std::uint64_t accesses_of_rank = 1U << 22U;

    /// The places that a rank accesses, over the tables of all ranks.
    static std::vector<std::uint64_t> accesses(const Place& here) {
        std::vector<std::uint64_t> found(accesses_of_rank);
        for (std::uint64_t i = 0; i < accesses_of_rank; ++i) {
            found[i] = draw_below(places_of_rank * here.ranks, here.rank * accesses_of_rank + i);
        }
        return found;
    }
    /// Of a histogram.
    static std::uint64_t sum(const Place& here, const std::vector<std::uint64_t>& counts) {
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < counts.size(); ++i) {
            found += mix(i * here.ranks + here.rank) * counts[i];
        }
        return found;
    }
    /// What a table has at each place, for those who read.
    static std::vector<std::uint64_t> values(const Place& here) {
        std::vector<std::uint64_t> found(places_of_rank);
        for (std::uint64_t i = 0; i < places_of_rank; ++i) {
            found[i] = mix(i * here.ranks + here.rank);
        }
        return found;
    }
    /// Of values in the order in which they were asked for.
    static std::uint64_t sum_of_answers(const std::vector<std::uint64_t>& answers) {
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < answers.size(); ++i) {
            found += answers[i] * (2 * i + 1);
        }
        return found;
    }
};

/// Keys to be counted, small ones often: their logarithms are uniform.
struct Keys {
    static constexpr std::uint64_t of_rank = 1U << 21U;
    static constexpr double bits = 20;

    static std::vector<std::uint64_t> all(const Place& here) {
        std::vector<std::uint64_t> found(of_rank);
        for (std::uint64_t i = 0; i < of_rank; ++i) {
            const double unit = static_cast<double>(draw(here.rank * of_rank + i) >> 11U) * 0x1p-53;
            found[i] = static_cast<std::uint64_t>(std::exp2(bits * unit));
        }
        return found;
    }
    static std::vector<std::string> words(const Place& here) {
        std::vector<std::string> found;
        for (const std::uint64_t key : all(here)) {
            found.push_back("word " + std::to_string(key));
        }
        return found;
    }
    static std::uint64_t number(std::uint64_t key) { return key; }
    /// Fowler, Noll and Vo, 1a.
    static std::uint64_t number(const std::string& key) {
        std::uint64_t hash = 0xCBF29CE484222325U;
        for (const char each : key) {
            hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001B3U;
        }
        return hash;
    }
    template <class Key>
    static std::uint64_t sum(const Key& key, std::uint64_t count) {
        return mix(number(key) + mix(count));
    }
};

/// Rows and columns of a matrix that is triangular but for the order of both, as each rank has them: of row
/// r the rank r mod ranks, and of columns as well. Topological sorting finds an order in which it is
/// triangular again (bale's `topo`): a row with one entry left has found its column.
class Matrix {
  public:
    static constexpr std::uint32_t size = 1U << 20U;
    static constexpr std::uint64_t beside_diagonal = 4;

    explicit Matrix(const Place& here) : here_(here) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> own_rows, own_columns;
        std::vector<std::uint32_t> of_row;
        for (std::uint64_t i = 0; i < size; ++i) {
            of_row = {static_cast<std::uint32_t>(i)};
            for (std::uint64_t k = 0; k < beside_diagonal && i + 1 < size; ++k) {
                of_row.push_back(
                    static_cast<std::uint32_t>(i + 1 + draw_below(size - i - 1, i * beside_diagonal + k)));
            }
            std::sort(of_row.begin(), of_row.end());
            of_row.erase(std::unique(of_row.begin(), of_row.end()), of_row.end());
            const std::uint32_t row = moved(i, 0x9E3779B1U);
            for (const std::uint32_t j : of_row) {
                const std::uint32_t column = moved(j, 0x85EBCA6BU);
                if (row % here.ranks == here.rank) {
                    own_rows.emplace_back(row / here.ranks, column);
                }
                if (column % here.ranks == here.rank) {
                    own_columns.emplace_back(column / here.ranks, row);
                }
            }
        }
        const std::uint64_t own = (size - here.rank + here.ranks - 1) / here.ranks;
        counts_.assign(own, 0);
        sums_.assign(own, 0);
        for (const auto& [row, column] : own_rows) {
            ++counts_[row];
            sums_[row] += column;
        }
        std::sort(own_columns.begin(), own_columns.end());
        begin_.assign(own + 1, 0);
        for (const auto& [column, row] : own_columns) {
            ++begin_[column + 1];
            rows_.push_back(row);
        }
        for (std::uint64_t i = 0; i < own; ++i) {
            begin_[i + 1] += begin_[i];
        }
    }

    void prepare() {
        left_ = counts_;
        sum_left_ = sums_;
        levels_.assign(counts_.size(), 0);
        columns_.assign(counts_.size(), 0);
    }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(counts_.size()); }
    /// Whether a row has one entry.
    [[nodiscard]] bool is_ready(std::uint32_t row) const { return counts_[row] == 1; }
    /// The column of the one entry that a row has left.
    std::uint32_t match(std::uint32_t row) {
        columns_[row] = static_cast<std::uint32_t>(sum_left_[row]);
        return columns_[row];
    }
    [[nodiscard]] std::uint32_t level(std::uint32_t row) const { return levels_[row]; }
    /// Rows of an own column, on all ranks.
    template <class F>
    void for_rows(std::uint32_t column, F f) const {
        for (std::uint64_t i = begin_[column]; i < begin_[column + 1]; ++i) {
            f(rows_[i]);
        }
    }
    /// A column of the row has been found, at this level. Returns whether one entry is left now.
    bool take(std::uint32_t row, std::uint32_t column, std::uint32_t level) {
        if (--left_[row] == 0) {
            return false; // The row's own column.
        }
        sum_left_[row] -= column;
        levels_[row] = std::max(levels_[row], level + 1);
        return left_[row] == 1;
    }
    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < levels_.size(); ++i) {
            const std::uint64_t row = i * here_.ranks + here_.rank;
            found += mix(mix(row) + mix(columns_[i]) * 3 + levels_[i]);
        }
        return found;
    }

  private:
    static std::uint32_t moved(std::uint64_t i, std::uint64_t by) {
        return static_cast<std::uint32_t>((i * by + 12345) % size);
    }

    Place here_;
    std::vector<std::uint32_t> counts_, left_, levels_, columns_, rows_;
    std::vector<std::uint64_t> sums_, sum_left_, begin_;
};

/// Rows of a graph as triangles need them: vertices in the order of their degrees, and of each own vertex
/// the neighbours behind it. A text has an edge a line; vertex v is of rank v mod ranks.
class Graph {
  public:
    Graph(const Place& here, const std::string& file) : here_(here) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        std::ifstream lines(file);
        std::uint32_t vertices = 0;
        for (std::uint32_t u = 0, v = 0; lines >> u >> v;) {
            vertices = std::max({vertices, u + 1, v + 1});
            if (u != v) {
                edges.emplace_back(std::min(u, v), std::max(u, v));
            }
        }
        if (edges.empty()) {
            std::fprintf(stderr, "error: %s has no edges\n", file.c_str());
            end_all(2);
        }
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        std::vector<std::pair<std::uint32_t, std::uint32_t>> degrees(vertices);
        for (std::uint32_t v = 0; v < vertices; ++v) {
            degrees[v].second = v;
        }
        for (const auto& [u, v] : edges) {
            ++degrees[u].first;
            ++degrees[v].first;
        }
        std::sort(degrees.begin(), degrees.end());
        std::vector<std::uint32_t> at(vertices);
        for (std::uint32_t i = 0; i < vertices; ++i) {
            at[degrees[i].second] = i;
        }
        rows_.resize((vertices + here.ranks - 1 - here.rank) / here.ranks);
        for (const auto& [u, v] : edges) {
            const auto [first, last] = std::minmax(at[u], at[v]);
            if (owns(first)) {
                rows_[first / here.ranks].push_back(last);
            }
        }
        for (auto& row : rows_) {
            std::sort(row.begin(), row.end());
        }
    }

    void prepare() { triangles_ = 0; }
    [[nodiscard]] bool owns(std::uint32_t vertex) const { return vertex % here_.ranks == here_.rank; }
    [[nodiscard]] std::uint64_t count() const { return rows_.size(); }
    /// Count what own rows tell; `ask(middle, last)` for pairs of neighbours whose first is of another rank.
    template <class Ask>
    void close_pairs(std::uint64_t local, Ask ask) {
        const auto& row = rows_[local];
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            if (owns(row[i])) {
                const auto& other = rows_[row[i] / here_.ranks];
                triangles_ += common(row.data() + i + 1, row.data() + row.size(), other);
                continue;
            }
            for (std::size_t k = i + 1; k < row.size(); ++k) {
                ask(row[i], row[k]);
            }
        }
    }
    /// Count a triangle if an own vertex has this neighbour.
    void answer(std::uint32_t middle, std::uint32_t last) {
        const auto& row = rows_[middle / here_.ranks];
        triangles_ += std::binary_search(row.begin(), row.end(), last) ? 1 : 0;
    }
    [[nodiscard]] std::uint64_t triangles() const { return triangles_; }

  private:
    static std::uint64_t common(const std::uint32_t* first, const std::uint32_t* last,
                                const std::vector<std::uint32_t>& other) {
        std::uint64_t found = 0;
        for (auto it = other.begin(); first != last && it != other.end();) {
            if (*first < *it) {
                ++first;
            } else if (*it < *first) {
                ++it;
            } else {
                ++found;
                ++first;
                ++it;
            }
        }
        return found;
    }

    Place here_;
    std::vector<std::vector<std::uint32_t>> rows_;
    std::uint64_t triangles_ = 0;
};

/// Run a kernel once for nothing and then so many times, and write how long each took on the slowest rank,
/// and the sum over ranks of what was computed. Returns 1 where runs differ.
inline int measure(Kernel& kernel, int repetitions) {
    if (const char* number = std::getenv("KERNEL_REPETITIONS")) {
        repetitions = std::atoi(number);
    }
    const Place here = place();
    static Collection collection(ranks_of_process());
    std::vector<double> times;
    std::uint64_t first = 0;
    for (int i = 0; i <= repetitions; ++i) {
        kernel.prepare();
        meet();
        if (i == 1) {
            collection.begin();
        }
        const double begin = now_s();
        kernel.run();
        const double own_s = now_s() - begin;
        if (i == 1) {
            collection.end();
        }
        const double took = slowest_s(own_s);
        meet(); // Before what others do is collected no longer.
        const std::uint64_t sum = sum_of_ranks(kernel.sum());
        if (i == 0) {
            first = sum;
        } else {
            times.push_back(took);
        }
        if (sum != first) {
            if (here.rank == 0) {
                std::fprintf(stderr, "error: run %d has the sum %ju, the first one %ju\n", i,
                             std::uintmax_t{sum}, std::uintmax_t{first});
            }
            return 1;
        }
    }
    if (here.rank == 0) {
        std::printf(R"({"steelyard": 1, "metric": "time_s", "unit": "s", "values": [)");
        for (std::size_t i = 0; i < times.size(); ++i) {
            std::printf("%s%.9g", i == 0 ? "" : ", ", times[i]);
        }
        // A double has 53 bits.
        std::printf("]}\n"
                    R"({"steelyard": 1, "metric": "sum", "values": [%ju]})"
                    "\n",
                    std::uintmax_t{first & ((std::uint64_t{1} << 53U) - 1)});
    }
    return 0;
}

} // namespace kernels
