// Kernels whose results are wrong, for the program to find: linked in place of the real ones.

#include "npb/kernel.hpp"

namespace goodsyard::npb {
namespace {

class Wrong : public Kernel {
  public:
    void prepare() override {}
    void solve() override {}
    std::vector<Check> verify() override { return {{"one", 1, 1, 0}, {"answer", 41, 42, 1e-10}}; }
    [[nodiscard]] double operations() const override { return 1; }
};

} // namespace

std::unique_ptr<Kernel> make_ep(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_cg(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_mg(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_ft(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_is(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_bt(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_sp(ProblemClass) {
    return std::make_unique<Wrong>();
}
std::unique_ptr<Kernel> make_lu(ProblemClass) {
    return std::make_unique<Wrong>();
}

} // namespace goodsyard::npb
