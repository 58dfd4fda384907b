// The loops that hold nearly all arithmetic of a search, compiled for wide registers too; the version is
// chosen when the module is loaded, so that one wheel serves every x86-64.
#pragma once

#include "search.hpp"

namespace steelyard {

void add_columns(std::size_t columns, const double* column, double w, double wy, double* s1, double* s2,
                 double* sy);

void add_products(std::size_t pairs, const double* product, double w, double* cross);

void solve_pairs(std::size_t pairs, const std::array<std::int32_t, max_terms>* terms, const double* s1,
                 const double* mean, const double* centred, const double* ry, double sum_yy, double* cross,
                 double* chi2);

// How much of chi-square each column takes off; nothing where it would have to fall.
void find_gains(std::size_t columns, const double* centred, const double* ry, double* gain);

} // namespace steelyard
