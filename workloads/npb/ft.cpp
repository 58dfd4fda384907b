// FT, "3-D fast Fourier transform" [1, section 2.2.4]: the heat equation on a periodic box, solved in Fourier
// space.
//
// The transform of du/dt = alpha laplace(u) is d U/dt = -4 alpha pi^2 |k|^2 U, k the wave number of a
// coefficient, from -n/2 to n/2 - 1 along each axis. So one transform of a random start gives the solution at
// all times t = 1, 2, ...: U(t) = exp(-4 alpha pi^2 |k|^2) U(t - 1), and u(t) by an inverse transform. Of
// each u(t), 1024 points are added up and compared. It measures how fast all of memory can be rearranged, for
// an axis other than x is far from contiguous.
//
// Encoding: complex numbers, x fastest, then y, then z. Lines of one axis are copied, `lanes` beside each
// other, to a scratch that fits into the cache, transformed there, and copied back. Transforms along x and y
// are made plane by plane, so that all of memory is passed twice instead of three times; the step of time is
// made on the way into the scratch. Its factor is a product of one factor an axis, so that no array of
// factors is kept.
//
// [1] D. H. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, NASA Ames, 1994.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "npb/fft.hpp"
#include "npb/kernel.hpp"
#include "npb/random.hpp"

namespace goodsyard::npb {
namespace {

using Complex = std::complex<double>;

struct Size {
    std::size_t nx, ny, nz;
    std::vector<Complex> checksums; ///< Official, at t = 1, 2, ...
};

Size size_of(ProblemClass size) {
    switch (size) {
    case ProblemClass::S:
        return {64,
                64,
                64,
                {{554.6087004964, 484.5363331978},
                 {554.6385409189, 486.5304269511},
                 {554.6148406171, 488.3910722336},
                 {554.5423607415, 490.1273169046},
                 {554.4255039624, 491.7475857993},
                 {554.2683411902, 493.2597244941}}};
    case ProblemClass::W:
        return {128,
                128,
                32,
                {{567.3612178944, 529.3246849175},
                 {563.1436885271, 528.2149986629},
                 {559.4024089970, 527.0996558037},
                 {556.0698047020, 526.0027904925},
                 {553.0898991250, 524.9400845633},
                 {550.4159734538, 523.9212247086}}};
    case ProblemClass::A:
        return {256,
                256,
                128,
                {{504.6735008193, 511.4047905510},
                 {505.9412319734, 509.8809666433},
                 {506.9376896287, 509.8144042213},
                 {507.7892868474, 510.1336130759},
                 {508.5233095391, 510.4914655194},
                 {509.1487099959, 510.7917842803}}};
    case ProblemClass::B:
        return {512, 256, 256, {{517.7643571579, 507.7803458597}, {515.4521291263, 508.8249431599},
                                {514.6409228649, 509.6208912659}, {514.2378756213, 510.1023387619},
                                {513.9626667737, 510.3976610617}, {513.7423460082, 510.5948019802},
                                {513.5547056878, 510.7404165783}, {513.3910925466, 510.8576573661},
                                {513.2470705390, 510.9577278523}, {513.1197729984, 511.0460304483},
                                {513.0070319283, 511.1252433800}, {512.9070537032, 511.1968077718},
                                {512.8182883502, 511.2616233064}, {512.7393733383, 511.3203605551},
                                {512.6691062020, 511.3735928093}, {512.6064276004, 511.4218460548},
                                {512.5504076570, 511.4656139760}, {512.5002331720, 511.5053595966},
                                {512.4551951846, 511.5415130407}, {512.4146770029, 511.5744692211}}};
    }
    return {};
}

constexpr double alpha = 1e-6;

/// By how much each coefficient along an axis shrinks in one step of time.
std::vector<double> decay(std::size_t n) {
    std::vector<double> factors(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double k = static_cast<double>(i) - (i < n / 2 ? 0 : static_cast<double>(n));
        factors[i] = std::exp(-4 * alpha * std::numbers::pi * std::numbers::pi * k * k);
    }
    return factors;
}

/// Two arrays of `lanes` lines of an axis; each thread has its own.
class Scratch {
  public:
    explicit Scratch(std::size_t length) : size_(length * lanes), values_(4 * size_) {}

    Split first() { return {values_.data(), values_.data() + size_}; }
    Split second() { return first() + 2 * size_; }

  private:
    std::size_t size_;
    std::vector<double> values_;
};

class Ft : public Kernel {
  public:
    explicit Ft(ProblemClass size)
        : size_(size_of(size)), along_x_(size_.nx), along_y_(size_.ny), along_z_(size_.nz),
          decay_x_(decay(size_.nx)), decay_y_(decay(size_.ny)), decay_z_(decay(size_.nz)) {}

    void prepare() override {
        spectrum_ = std::make_unique_for_overwrite<Complex[]>(points());
        u_ = std::make_unique_for_overwrite<Complex[]>(points());
        draw();
        transform_planes<Direction::forward>(spectrum_.get());
        transform_spectrum();
        advance();
    }

    /// The rules count the random start and the first transform, too.
    void solve() override {
        checksums_.clear();
        draw();
        transform_planes<Direction::forward>(spectrum_.get());
        transform_spectrum();
        for (std::size_t t = 0; t < size_.checksums.size(); ++t) {
            advance();
            transform_planes<Direction::inverse>(u_.get());
            checksums_.push_back(checksum());
        }
    }

    std::vector<Check> verify() override {
        std::vector<Check> checks;
        for (std::size_t t = 0; t < checksums_.size(); ++t) {
            const std::string at = " part of checksum " + std::to_string(t + 1);
            checks.push_back({"real" + at, checksums_[t].real(), size_.checksums[t].real(), 1e-12});
            checks.push_back({"imaginary" + at, checksums_[t].imag(), size_.checksums[t].imag(), 1e-12});
        }
        return checks;
    }

    [[nodiscard]] double operations() const override {
        const auto n = static_cast<double>(points());
        const auto iterations = static_cast<double>(size_.checksums.size());
        return n * (14.8157 + 7.19641 * std::log(n) + (5.23518 + 7.21113 * std::log(n)) * iterations);
    }

  private:
    enum class Direction { forward, inverse };

    [[nodiscard]] std::size_t points() const { return size_.nx * size_.ny * size_.nz; }

    /// The random start, of which each number is two of the sequence.
    void draw() {
        const std::size_t plane = size_.nx * size_.ny;
#pragma omp parallel for schedule(static)
        for (std::size_t z = 0; z < size_.nz; ++z) {
            Random random(Random::seed, 2 * z * plane);
            for (Complex *at = &spectrum_[z * plane], *end = at + plane; at != end; ++at) {
                const double real = random();
                *at = {real, random()};
            }
        }
    }

    /// Along x and y, in place.
    template <Direction direction>
    void transform_planes(Complex* values) const {
        const std::size_t nx = size_.nx, ny = size_.ny;
#pragma omp parallel
        {
            Scratch of_x(nx), of_y(ny);
#pragma omp for schedule(static)
            for (std::size_t z = 0; z < size_.nz; ++z) {
                Complex* plane = values + z * nx * ny;
                for (std::size_t y = 0; y < ny; y += lanes) {
                    transform_rows<direction>(plane + y * nx, of_x);
                }
                for (std::size_t x = 0; x < nx; x += lanes) {
                    transform_columns<direction>(along_y_, plane + x, nx, of_y);
                }
            }
        }
    }

    /// Along z, in place: the spectrum of what transform_planes has left.
    void transform_spectrum() {
        const std::size_t plane = size_.nx * size_.ny;
#pragma omp parallel
        {
            Scratch scratch(size_.nz);
#pragma omp for schedule(static)
            for (std::size_t first = 0; first < plane; first += lanes) {
                transform_columns<Direction::forward>(along_z_, spectrum_.get() + first, plane, scratch);
            }
        }
    }

    /// One step of time of the spectrum; u is its inverse transform along z.
    void advance() {
        const std::size_t nx = size_.nx, plane = nx * size_.ny;
#pragma omp parallel
        {
            Scratch scratch(size_.nz);
#pragma omp for schedule(static)
            for (std::size_t first = 0; first < plane; first += lanes) {
                const Split lines = scratch.first();
                for (std::size_t z = 0; z < size_.nz; ++z) {
                    const double yz = decay_y_[first / nx] * decay_z_[z];
                    Complex* from = &spectrum_[z * plane + first];
                    for (std::size_t b = 0; b < lanes; ++b) {
                        from[b] *= yz * decay_x_[first % nx + b];
                        lines.re[z * lanes + b] = from[b].real();
                        lines.im[z * lanes + b] = from[b].imag();
                    }
                }
                write_columns(along_z_.inverse(lines, scratch.second()), size_.nz, &u_[first], plane);
            }
        }
    }

    template <Direction direction>
    static Split transform(const Fft& fft, Scratch& scratch) {
        return direction == Direction::forward ? fft.forward(scratch.first(), scratch.second())
                                               : fft.inverse(scratch.first(), scratch.second());
    }

    /// `lanes` contiguous lines.
    template <Direction direction>
    void transform_rows(Complex* rows, Scratch& scratch) const {
        const std::size_t n = size_.nx;
        const Split to = scratch.first();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t b = 0; b < lanes; ++b) {
                to.re[i * lanes + b] = rows[b * n + i].real();
                to.im[i * lanes + b] = rows[b * n + i].imag();
            }
        }
        const Split from = transform<direction>(along_x_, scratch);
        for (std::size_t b = 0; b < lanes; ++b) {
            for (std::size_t i = 0; i < n; ++i) {
                rows[b * n + i] = {from.re[i * lanes + b], from.im[i * lanes + b]};
            }
        }
    }

    /// `lanes` lines beside each other, whose elements are `stride` apart.
    template <Direction direction>
    static void transform_columns(const Fft& fft, Complex* values, std::size_t stride, Scratch& scratch) {
        const Split to = scratch.first();
        for (std::size_t i = 0; i < fft.length(); ++i) {
            for (std::size_t b = 0; b < lanes; ++b) {
                to.re[i * lanes + b] = values[i * stride + b].real();
                to.im[i * lanes + b] = values[i * stride + b].imag();
            }
        }
        write_columns(transform<direction>(fft, scratch), fft.length(), values, stride);
    }

    static void write_columns(Split from, std::size_t length, Complex* values, std::size_t stride) {
        for (std::size_t i = 0; i < length; ++i) {
            for (std::size_t b = 0; b < lanes; ++b) {
                values[i * stride + b] = {from.re[i * lanes + b], from.im[i * lanes + b]};
            }
        }
    }

    /// The sum of u at (j mod nx, 3 j mod ny, 5 j mod nz), j = 1 ... 1024, scaled as the inverse transform
    /// would be.
    [[nodiscard]] Complex checksum() const {
        Complex sum = 0;
        for (std::size_t j = 1; j <= 1024; ++j) {
            sum += u_[(5 * j % size_.nz * size_.ny + 3 * j % size_.ny) * size_.nx + j % size_.nx];
        }
        return sum / static_cast<double>(points());
    }

    Size size_;
    Fft along_x_, along_y_, along_z_;
    std::vector<double> decay_x_, decay_y_, decay_z_;
    std::unique_ptr<Complex[]> spectrum_, u_;
    std::vector<Complex> checksums_;
};

} // namespace

std::unique_ptr<Kernel> make_ft(ProblemClass size) {
    return std::make_unique<Ft>(size);
}

} // namespace goodsyard::npb
