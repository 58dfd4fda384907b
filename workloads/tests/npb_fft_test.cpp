// Asserts that the transform is the discrete Fourier transform: by its definition, summed up term by term,
// and by closed forms.

#include "npb/fft.hpp"

#include <complex>
#include <gtest/gtest.h>
#include <vector>

#include "npb/random.hpp"

namespace goodsyard::npb {
namespace {

using Complex = std::complex<double>;
using Sequence = std::vector<Complex>;

constexpr double pi = std::numbers::pi;

class NpbFft : public testing::TestWithParam<std::size_t> {
  protected:
    using Transform = Split (Fft::*)(Split, Split) const;

    /// The transforms of `lanes` sequences.
    static std::vector<Sequence> transformed(const std::vector<Sequence>& sequences, Transform transform) {
        const std::size_t n = sequences[0].size(), size = n * lanes;
        std::vector<double> memory(4 * size);
        const Split from{memory.data(), memory.data() + size}, to = from + 2 * size;
        for (std::size_t b = 0; b < lanes; ++b) {
            for (std::size_t i = 0; i < n; ++i) {
                from.re[i * lanes + b] = sequences[b][i].real();
                from.im[i * lanes + b] = sequences[b][i].imag();
            }
        }
        const Split outcome = (Fft(n).*transform)(from, to);
        std::vector<Sequence> result(lanes, Sequence(n));
        for (std::size_t b = 0; b < lanes; ++b) {
            for (std::size_t i = 0; i < n; ++i) {
                result[b][i] = {outcome.re[i * lanes + b], outcome.im[i * lanes + b]};
            }
        }
        return result;
    }

    static std::vector<Sequence> drawn() {
        Random random;
        std::vector<Sequence> sequences(lanes, Sequence(GetParam()));
        for (Sequence& sequence : sequences) {
            for (Complex& complex : sequence) {
                complex = {random() - 0.5, random() - 0.5};
            }
        }
        return sequences;
    }

    static void expect_near(const Sequence& outcome, const Sequence& expected, const char* subject) {
        const double tolerance = 1e-14 * static_cast<double>(GetParam());
        for (std::size_t k = 0; k < outcome.size(); ++k) {
            ASSERT_LT(std::abs(outcome[k] - expected[k]), tolerance) << subject << ", coefficient " << k;
        }
    }
};

TEST_P(NpbFft, IsTheSumThatDefinesItInEveryLane) {
    const std::size_t n = GetParam();
    const std::vector<Sequence> x = drawn(), found = transformed(x, &Fft::forward);
    for (std::size_t b = 0; b < lanes; ++b) {
        Sequence expected(n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < n; ++j) {
                expected[k] += x[b][j] * std::polar(1.0, -2 * pi * static_cast<double>(j * k % n) /
                                                             static_cast<double>(n));
            }
        }
        expect_near(found[b], expected, "a lane");
    }
}

TEST_P(NpbFft, TurnsAWaveIntoItsFrequencyAlone) {
    const std::size_t n = GetParam();
    std::vector<Sequence> waves(lanes, Sequence(n));
    for (std::size_t b = 0; b < lanes; ++b) {
        for (std::size_t j = 0; j < n; ++j) {
            waves[b][j] = std::polar(1.0, 2 * pi * static_cast<double>(j * b % n) / static_cast<double>(n));
        }
    }
    const std::vector<Sequence> outcome = transformed(waves, &Fft::forward);
    for (std::size_t b = 0; b < lanes; ++b) {
        Sequence expected(n);
        expected[b % n] = static_cast<double>(n);
        expect_near(outcome[b], expected, "a wave");
    }
}

TEST_P(NpbFft, TheInverseUndoesItButForTheLength) {
    const std::vector<Sequence> x = drawn();
    std::vector<Sequence> back = transformed(transformed(x, &Fft::forward), &Fft::inverse);
    for (std::size_t b = 0; b < lanes; ++b) {
        for (Complex& complex : back[b]) {
            complex /= static_cast<double>(GetParam());
        }
        expect_near(back[b], x[b], "there and back");
    }
}

INSTANTIATE_TEST_SUITE_P(Lengths, NpbFft, testing::Values(2, 4, 8, 16, 32, 64, 128, 256, 512));

} // namespace
} // namespace goodsyard::npb
