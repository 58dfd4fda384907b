// IS, "integer sort" [1, section 2.2.5]: ranks of N keys, ten times.
//
// A key is the scaled mean of four uniform numbers, so that keys cluster in the middle. The rank of a key is
// the number of keys that are smaller. Before iteration i, keys i and i + 10 are set to i and to the largest
// key - i, which moves ranks by an amount that is known; after each iteration five ranks are compared, and at
// the end the keys are put in order by their ranks. It measures integer arithmetic and scattered access to
// memory.
//
// Encoding: ranks by counting [2]: below[k], the keys smaller than k, is the prefix sum of how often each
// value occurs. Each thread counts its keys in an array of its own; the arrays are then added and summed up
// slice by slice.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.
// [2] D. E. Knuth, The Art of Computer Programming 3, 2nd ed., section 5.2, algorithm D.

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "npb/kernel.hpp"
#include "npb/random.hpp"

namespace goodsyard::npb {
namespace {

using Key = std::uint32_t;

constexpr std::size_t iterations = 10;

/// The key at `index` has the official rank `rank` + `step` (iteration - `lag`); iterations count from 1.
struct Tested {
    std::size_t index;
    std::int64_t rank, step, lag;
};

struct Size {
    int log2_keys, log2_range;
    std::array<Tested, 5> tested;
};

constexpr Size size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {16,
                11,
                {{{48427, 0, 1, 0},
                  {17148, 18, 1, 0},
                  {23627, 346, 1, 0},
                  {62548, 64917, -1, 0},
                  {4431, 65463, -1, 0}}}};
    case ProblemClass::W:
        return {20,
                16,
                {{{357773, 1249, 1, 2},
                  {934767, 11698, 1, 2},
                  {875723, 1039987, -1, 0},
                  {898999, 1043896, -1, 0},
                  {404505, 1048018, -1, 0}}}};
    case ProblemClass::A:
        return {23,
                19,
                {{{2112377, 104, 1, 1},
                  {662041, 17523, 1, 1},
                  {5336171, 123928, 1, 1},
                  {3642833, 8288932, -1, 1},
                  {4250760, 8388264, -1, 1}}}};
    case ProblemClass::B:
        return {25,
                21,
                {{{41869, 33422937, -1, 0},
                  {812306, 10244, 1, 0},
                  {5102857, 59149, 1, 0},
                  {18232239, 33135281, -1, 0},
                  {26860214, 99, 1, 0}}}};
    }
    return {};
}

class Is : public Kernel {
  public:
    explicit Is(ProblemClass size) : size_(size_of(size)) {}

    void prepare() override {
        keys_ = std::make_unique_for_overwrite<Key[]>(count());
        below_ = std::make_unique_for_overwrite<Key[]>(range());
        for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
            counts_.push_back(std::make_unique_for_overwrite<Key[]>(range()));
        }
        totals_.resize(counts_.size());
        draw();
        rank(1);
    }

    void solve() override {
        for (std::size_t iteration = 1; iteration <= iterations; ++iteration) {
            rank(iteration);
        }
    }

    std::vector<Check> verify() override {
        std::vector<Check> checks;
        for (std::size_t iteration = 1; iteration <= iterations; ++iteration) {
            for (std::size_t i = 0; i < size_.tested.size(); ++i) {
                const auto& [index, rank, step, lag] = size_.tested[i];
                const std::int64_t official = rank + step * (static_cast<std::int64_t>(iteration) - lag);
                checks.push_back(
                    {"rank of key " + std::to_string(index) + " in iteration " + std::to_string(iteration),
                     static_cast<double>(found_[iteration - 1][i]), static_cast<double>(official), 0});
            }
        }
        checks.push_back({"keys out of order", static_cast<double>(out_of_order()), 0, 0});
        return checks;
    }

    [[nodiscard]] double operations() const override { return static_cast<double>(iterations * count()); }

  private:
    [[nodiscard]] std::size_t count() const { return std::size_t{1} << size_.log2_keys; }
    [[nodiscard]] std::size_t range() const { return std::size_t{1} << size_.log2_range; }

    void draw() {
        const double quarter = static_cast<double>(range()) / 4;
#pragma omp parallel
        {
            const Slice local(count());
            Random random(Random::seed, 4 * local.begin);
            for (std::size_t i = local.begin; i < local.end; ++i) {
                double sum = random();
                for (int j = 1; j < 4; ++j) {
                    sum += random();
                }
                keys_[i] = static_cast<Key>(quarter * sum);
            }
        }
    }

    /// What the calling thread of a team does of n things.
    struct Slice {
        std::size_t begin, end;

        explicit Slice(std::size_t n) {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            const auto threads = static_cast<std::size_t>(omp_get_num_threads());
            begin = n * thread / threads;
            end = n * (thread + 1) / threads;
        }
    };

    /// One iteration: below_[k] becomes the number of keys that are smaller than k.
    void rank(std::size_t iteration) {
        keys_[iteration] = static_cast<Key>(iteration);
        keys_[iteration + iterations] = static_cast<Key>(range() - iteration);
#pragma omp parallel
        {
            count_own_keys();
#pragma omp barrier
            add_counts_in_own_slice();
#pragma omp barrier
            raise_own_slice();
        }
        for (std::size_t i = 0; i < size_.tested.size(); ++i) {
            found_[iteration - 1][i] = below_[keys_[size_.tested[i].index]];
        }
    }

    void count_own_keys() {
        Key* counts = counts_[static_cast<std::size_t>(omp_get_thread_num())].get();
        std::fill_n(counts, range(), 0);
        const Slice own_part(count());
        for (const Key *key = &keys_[own_part.begin], *end = keys_.get() + own_part.end; key != end; ++key) {
            ++counts[*key];
        }
    }

    /// Prefix sums within the slice of values of each thread, and its total.
    void add_counts_in_own_slice() {
        const Slice own(range());
        const auto threads = static_cast<std::size_t>(omp_get_num_threads());
        Key sum = 0;
        for (std::size_t value = own.begin; value < own.end; ++value) {
            below_[value] = sum;
            for (std::size_t thread = 0; thread < threads; ++thread) {
                sum += counts_[thread][value];
            }
        }
        totals_[static_cast<std::size_t>(omp_get_thread_num())] = sum;
    }

    /// Add what all slices before have.
    void raise_own_slice() {
        const Slice own(range());
        const Key before = std::accumulate(totals_.begin(), totals_.begin() + omp_get_thread_num(), Key{0});
        if (before != 0) {
            for (std::size_t value = own.begin; value < own.end; ++value) {
                below_[value] += before;
            }
        }
    }

    /// Put all keys where their ranks say, some values at a time to save memory, and count those that are
    /// smaller than the one before, and places that are left empty.
    [[nodiscard]] std::size_t out_of_order() const {
        constexpr std::size_t parts = 8;
        const auto empty = static_cast<Key>(range());
        std::size_t result = 0;
        Key last = 0;
        for (std::size_t part = 0; part < parts; ++part) {
            const auto low = static_cast<Key>(range() * part / parts);
            const auto high = static_cast<Key>(range() * (part + 1) / parts);
            const std::size_t begin = below_[low], end = high < range() ? below_[high] : count();
            std::vector<Key> next(below_.get() + low, below_.get() + high);
            std::vector<Key> sorted(end - begin, empty);
            for (std::size_t i = 0; i < count(); ++i) {
                if (keys_[i] < low || keys_[i] >= high) {
                    continue;
                }
                const std::size_t place = next[keys_[i] - low]++;
                if (place >= end) {
                    return count(); // More keys than places.
                }
                sorted[place - begin] = keys_[i];
            }
            for (const Key key : sorted) {
                result += key < last || key == empty;
                last = key;
            }
        }
        return result;
    }

    Size size_;
    std::unique_ptr<Key[]> keys_, below_;
    std::vector<std::unique_ptr<Key[]>> counts_; ///< Of each thread, by value.
    std::vector<Key> totals_;                    ///< Of each thread's slice of values.
    std::array<std::array<Key, 5>, iterations> found_{};
};

} // namespace

std::unique_ptr<Kernel> make_is(ProblemClass size) {
    return std::make_unique<Is>(size);
}

} // namespace goodsyard::npb
