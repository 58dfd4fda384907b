#include "loops.hpp"

#include "wide.hpp"

#include <limits>

namespace steelyard {

STEELYARD_WIDE void add_columns(std::size_t columns, const double* column, double w, double wy, double* s1,
                                double* s2, double* sy) {
    for (std::size_t c = 0; c < columns; ++c) {
        const double f = column[c];
        s1[c] += w * f;
        s2[c] += w * f * f;
        sy[c] += wy * f;
    }
}

STEELYARD_WIDE void add_products(std::size_t pairs, const double* product, double w, double* cross) {
    for (std::size_t q = 0; q < pairs; ++q) {
        cross[q] += w * product[q];
    }
}

STEELYARD_WIDE void solve_pairs(std::size_t pairs, const std::array<std::int32_t, max_terms>* terms,
                                const double* s1, const double* mean, const double* centred, const double* ry,
                                double sum_yy, double* cross, double* chi2) {
    for (std::size_t q = 0; q < pairs; ++q) {
        const auto i = static_cast<std::size_t>(terms[q][0]);
        const auto j = static_cast<std::size_t>(terms[q][1]);
        const double a12 = cross[q] - s1[i] * mean[j];
        const double both = centred[i] * centred[j];
        const double det = both - a12 * a12;
        const double b1 = (centred[j] * ry[i] - a12 * ry[j]) / det;
        const double b2 = (centred[i] * ry[j] - a12 * ry[i]) / det;
        const double rest = sum_yy - b1 * ry[i] - b2 * ry[j];
        cross[q] = a12;
        // Columns that differ by less than this cannot be told apart in double precision.
        chi2[q] = det > 1e-11 * both ? (rest > 0 ? rest : 0.0) : std::numeric_limits<double>::infinity();
    }
}

STEELYARD_WIDE void find_gains(std::size_t columns, const double* centred, const double* ry, double* gain) {
    for (std::size_t c = 0; c < columns; ++c) {
        const double projection = ry[c] * ry[c] / (centred[c] > 0 ? centred[c] : 1.0);
        gain[c] = centred[c] > 0 && ry[c] > 0 ? projection : 0.0;
    }
}

} // namespace steelyard
