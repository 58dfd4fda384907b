// A NAS kernel as its main program sees it: what it is asked, what of it is timed, and what decides whether
// its result is right.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace goodsyard::npb {

/// Problem sizes of the specification, smallest first.
enum class ProblemClass { S, W, A, B };

/// One computed value beside the official one. A value that is not a number does not pass.
struct Check {
    std::string what;
    double computed = 0;
    double official = 0;
    double tolerance = 0; ///< Relative to the official value; 0 asks for equality.

    [[nodiscard]] bool passed() const {
        return std::fabs(computed - official) <= tolerance * std::fabs(official);
    }
};

/// Prepared once, solved once, verified once.
class Kernel {
  public:
    virtual ~Kernel() = default;

    /// Everything that the rules leave out of the time: input, and a first step that touches all pages.
    virtual void prepare() = 0;

    /// The timed section, as the rules bound it.
    virtual void solve() = 0;

    /// Results of `solve` beside the official ones; may compute more, such as the order of all keys.
    virtual std::vector<Check> verify() = 0;

    /// Operations of `solve`, as the rules count them for Mop/s.
    [[nodiscard]] virtual double operations() const = 0;
};

// All use as many threads as OpenMP's default team has.
std::unique_ptr<Kernel> make_ep(ProblemClass size);
std::unique_ptr<Kernel> make_cg(ProblemClass size);
std::unique_ptr<Kernel> make_mg(ProblemClass size);
std::unique_ptr<Kernel> make_ft(ProblemClass size);
std::unique_ptr<Kernel> make_is(ProblemClass size);
std::unique_ptr<Kernel> make_bt(ProblemClass size);
std::unique_ptr<Kernel> make_sp(ProblemClass size);
std::unique_ptr<Kernel> make_lu(ProblemClass size);

} // namespace goodsyard::npb
