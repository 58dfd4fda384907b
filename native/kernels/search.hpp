// Bayesian search over sums of at most three growth terms, one function at a time.
//
// A candidate is c + b1 f1 [+ b2 f2 [+ b3 f3]] with columns f scaled to 1 at their largest. Coefficients are
// integrated out under a prior that is flat over the shares of the terms at the largest value (a simplex of
// volume 1/(d-1)!), truncated to growing terms; a negative constant costs `negative_constant`. What remains
// per candidate is
//
//   prior (d-1)! (2 pi)^{d/2} |Cov|^{1/2} T_d(chi2) P(coefficients allowed)
//
// with T_d of evidence.hpp. Weights: the noise law's variance of each point plus a discrepancy (tau f)^2 a
// point; their shape is fixed at its posterior mean from a first pass over the one-term candidates, their
// scale is integrated out.
#pragma once

#include "evidence.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace steelyard {

constexpr int max_terms = 3;
constexpr int max_coefficients = max_terms + 1;

// What all functions of a batch share. Candidates are sorted by their number of terms; -1 stands for "no
// term".
struct SearchSpace {
    int points = 0;
    int columns = 0;
    std::vector<double> column;      // [point][column], centred
    std::vector<double> raw;         // … as given
    std::vector<double> column_mean; // what was taken off
    std::vector<std::array<std::int32_t, max_terms>> terms;
    std::vector<double> log_prior;
    std::vector<std::int32_t> group; // candidates with the same leading term
    std::vector<double> product;     // [point][pair] of centred columns, for candidates of two terms
    std::size_t singles = 0;         // index of the first candidate of one term
    std::size_t pairs = 0;           // … of two
    std::size_t triples = 0;         // … of three
    int groups = 0;
    std::vector<double> tau;
    std::vector<double> log_tau_prior;
    double negative_constant = 0.1;

    void finish(); // centres the columns and forms the products; call once, when the rest is filled
};

struct Series {
    std::span<const double> y;  // aggregate of each point
    std::span<const double> u2; // its squared standard uncertainty, from repetitions
    double law = 1;             // u2 grows as f^(2 law)
    double freedom = 0;         // degrees of freedom behind u2; 0: u2 is known
};

struct Component {
    std::int32_t candidate = -1;
    double weight = 0;     // share of the posterior that it stands for
    double own_weight = 0; // its own posterior
    double chi2 = 0;
    std::array<double, max_coefficients> coefficient{}; // constant first, scaled columns
    std::array<double, std::size_t{max_coefficients} * max_coefficients> covariance{}; // at scale 1
};

struct Found {
    std::vector<Component> components; // by falling weight
    std::vector<double> group_posterior;
    std::vector<double> variance; // V of each point, in squared units of y
    ScaleMixture mixture;
    double log_evidence = 0; // of y / max y, all normalised but for the prior of the overall size
};

class Search {
  public:
    explicit Search(const SearchSpace& space);
    void run(const Series& series, std::size_t keep, Found& result);

  private:
    void sum_columns(std::span<const double> y);
    void centre_by_weight();
    void weigh(const Series& series, Found& result);
    double best_single(std::span<double> fitted);
    void fit_pairs();
    void judge(Found& result);
    bool solve(std::size_t candidate, double chi2, Component& component) const;
    [[nodiscard]] double allowed(double coefficient, double variance) const;
    [[nodiscard]] double allowed_constant(double coefficient, double variance) const;
    [[nodiscard]] double occam(std::size_t candidate, int coefficients) const;
    void choose(std::size_t keep, Found& result);

    const SearchSpace& space_;
    // Centred columns and what was taken off: those of the space, or own ones where weights differ so much
    // that a common mean would leave only rounding of the small values.
    const double *column_ = nullptr, *column_mean_ = nullptr;
    std::vector<double> own_column_, own_mean_;
    bool wide_ = false;
    std::vector<double> y_, w_, wy_;
    double sum_w_ = 0, mean_y_ = 0, sum_yy_ = 0, size_ = 1, typical_scale_ = 1;
    std::vector<double> s1_, s2_, sy_;        // weighted sums of each column
    std::vector<double> mean_, centred_, ry_; // weighted mean, centred square, centred product with y
    std::vector<double> gain_;                // what each takes off chi-square alone
    std::vector<double> cross_, pair_chi2_;
    std::vector<double> log_weight_;
    std::vector<std::int32_t> alive_;
    std::array<EvidenceTable, max_coefficients + 1> table_;
};

} // namespace steelyard
