// Discrete Fourier transforms of several sequences side by side, by Stockham's self-sorting algorithm [1,
// section 1.7].
//
// Encoding: element i of sequence b is at [i * lanes + b], real and imaginary parts in arrays of their own,
// so that all loops run along contiguous doubles without shuffling. A stage of radix 4 (the last of radix 2,
// where the length is not a power of 4) goes from one pair of arrays to the other: with N the length that is
// left and s the stride,
//     y[q + s (4 p + k)] = w^(p k) sum_j i^(-j k) x[q + s (p + j N / 4)],   w = exp(-2 pi i / N).
//
// The inverse needs no code of its own: conj(F conj(x)) is F with real and imaginary parts exchanged before
// and after.
//
// [1] C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM, 1992.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace goodsyard::npb {

/// Sequences that are transformed together.
inline constexpr std::size_t lanes = 8;

/// Real and imaginary parts.
struct Split {
    double* re;
    double* im;

    Split operator+(std::size_t offset) const { return {re + offset, im + offset}; }
    [[nodiscard]] Split exchanged() const { return {im, re}; }
};

/// Transforms of one length, which is a power of 2.
class Fft {
  public:
    explicit Fft(std::size_t length) : length_(length) {
        for (std::size_t i = 0; i < length; ++i) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
            cosine_.push_back(std::cos(angle));
            sine_.push_back(std::sin(angle));
        }
    }

    [[nodiscard]] std::size_t length() const { return length_; }

    /// sum_j x_j exp(-2 pi i j k / n), not scaled. Both arrays have length() * lanes elements and are
    /// overwritten; returns the one that has the result.
    [[nodiscard]] Split forward(Split from, Split to) const {
        std::size_t remaining = length_, stride = 1;
        for (; remaining % 4 == 0; remaining /= 4, stride *= 4) {
            for (std::size_t p = 0; p < remaining / 4; ++p) {
                butterfly4(from, to, p, remaining, stride);
            }
            std::swap(from, to);
        }
        if (remaining == 2) {
            butterfly2(from, to, stride * lanes);
            std::swap(from, to);
        }
        return from;
    }

    /// The same with exp(+2 pi i j k / n).
    [[nodiscard]] Split inverse(Split from, Split to) const {
        return forward(from.exchanged(), to.exchanged()).exchanged();
    }

  private:
    static void butterfly2(Split x, Split y, std::size_t count) {
        for (std::size_t q = 0; q < count; ++q) {
            const double a = x.re[q], b = x.re[q + count], c = x.im[q], d = x.im[q + count];
            y.re[q] = a + b;
            y.im[q] = c + d;
            y.re[q + count] = a - b;
            y.im[q + count] = c - d;
        }
    }

    void butterfly4(Split x, Split y, std::size_t p, std::size_t remaining, std::size_t stride) const {
        const std::size_t count = stride * lanes, far = length_ / 4 * lanes;
        const Split x0 = x + p * count, x1 = x0 + far, x2 = x1 + far, x3 = x2 + far;
        const Split y0 = y + 4 * p * count, y1 = y0 + count, y2 = y1 + count, y3 = y2 + count;
        // w^p, w^2p, w^3p; w of the length that is left is a power of w of the whole length.
        const std::size_t step = p * (length_ / remaining);
        const double c1 = cosine_[step], c2 = cosine_[2 * step], c3 = cosine_[3 * step];
        const double s1 = sine_[step], s2 = sine_[2 * step], s3 = sine_[3 * step];
#pragma omp simd
        for (std::size_t q = 0; q < count; ++q) {
            const double even_re = x0.re[q] + x2.re[q], even_im = x0.im[q] + x2.im[q];
            const double odd_re = x1.re[q] + x3.re[q], odd_im = x1.im[q] + x3.im[q];
            const double a_re = x0.re[q] - x2.re[q], a_im = x0.im[q] - x2.im[q];
            const double b_re = x1.re[q] - x3.re[q], b_im = x1.im[q] - x3.im[q];
            y0.re[q] = even_re + odd_re;
            y0.im[q] = even_im + odd_im;
            const double u1_re = a_re + b_im, u1_im = a_im - b_re; // a - i b
            y1.re[q] = c1 * u1_re - s1 * u1_im;
            y1.im[q] = c1 * u1_im + s1 * u1_re;
            const double u2_re = even_re - odd_re, u2_im = even_im - odd_im;
            y2.re[q] = c2 * u2_re - s2 * u2_im;
            y2.im[q] = c2 * u2_im + s2 * u2_re;
            const double u3_re = a_re - b_im, u3_im = a_im + b_re; // a + i b
            y3.re[q] = c3 * u3_re - s3 * u3_im;
            y3.im[q] = c3 * u3_im + s3 * u3_re;
        }
    }

    std::size_t length_;
    std::vector<double> cosine_, sine_;
};

} // namespace goodsyard::npb
