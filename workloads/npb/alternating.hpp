// Time steps of the flow by alternating directions, as BT and SP make them: the implicit operator of a step
// is approximated by a product of three, one for each axis, so that each step solves three sets of
// independent lines. What a line is, and how it is solved, is the method's.
#pragma once

#include <omp.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "npb/flow.hpp"
#include "npb/kernel.hpp"
#include "npb/lines.hpp"
#include "npb/point.hpp"

namespace goodsyard::npb {

/// `Method` has a type `Line`, memory for four lines, and a function template
/// `solve<axis>(lines, factors, size, u, change, line)`: it solves four lines of `change` along an axis, and
/// along the last one adds them to `u`.
template <typename Method>
class AlternatingDirections : public Kernel {
  public:
    explicit AlternatingDirections(const FlowSize& size)
        : size_(size), flow_(size.n), u_(size.n), forcing_(size.n), change_(size.n) {
        for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
            lines_.push_back(std::make_unique_for_overwrite<Line>());
        }
    }

    void prepare() override {
        flow_.set_forcing(u_, forcing_);
        set_start(u_);
        iterate(1);
        set_start(u_);
    }

    void solve() override { iterate(size_.iterations); }

    std::vector<Check> verify() override {
        flow_.apply(u_, &forcing_, 1, change_);
        std::vector<Check> checks;
        append_checks(checks, "residual", inner_norms(change_), size_.residuals);
        append_checks(checks, "error", errors(u_), size_.errors);
        return checks;
    }

    [[nodiscard]] double operations() const override {
        return size_.iterations * Method::operations(static_cast<double>(size_.n));
    }

  private:
    using Line = Method::Line;

    void iterate(int iterations) {
        for (int i = 0; i < iterations; ++i) {
            flow_.apply(u_, &forcing_, size_.step, change_);
#pragma omp parallel
            {
                sweep<0>();
                sweep<1>();
                sweep<2>();
            }
        }
    }

    template <std::size_t axis>
    void sweep() {
        Line& line = *lines_[static_cast<std::size_t>(omp_get_thread_num())];
        const Factors factors(axis, size_.n, size_.step);
        double *u = u_.row(0, 0), *change = change_.row(0, 0);
        for_lines<axis>(u_, [&](const FourLines& lines) {
            Method::template solve<axis>(lines, factors, size_, u, change, line);
        });
    }

    FlowSize size_;
    Operator flow_;
    Field u_, forcing_, change_;
    std::vector<std::unique_ptr<Line>> lines_;
};

} // namespace goodsyard::npb
