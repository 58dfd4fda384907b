// A NAS kernel, checked against the official values: `npb cg --class W --threads 2`.
//
// Writes a line of the protocol each for the timed section, for what precedes it, and for operations a
// second. A result that does not verify is told by name and value, and the program fails.

#include <omp.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/failure.hpp"
#include "harness/program.hpp"
#include "npb/kernel.hpp"
#include "protocol/lines.hpp"
#include "timing/clock.hpp"

namespace goodsyard::npb {
namespace {

struct Named {
    const char* name;
    std::unique_ptr<Kernel> (*make)(ProblemClass);
};

constexpr std::array<Named, 8> kernels = {{{"ep", make_ep},
                                           {"cg", make_cg},
                                           {"mg", make_mg},
                                           {"ft", make_ft},
                                           {"is", make_is},
                                           {"bt", make_bt},
                                           {"sp", make_sp},
                                           {"lu", make_lu}}};

constexpr std::array<std::pair<const char*, ProblemClass>, 4> classes = {
    {{"S", ProblemClass::S}, {"W", ProblemClass::W}, {"A", ProblemClass::A}, {"B", ProblemClass::B}}};

constexpr int most_threads = 1024;

struct Asked {
    std::string kernel;
    std::string size = "S";
    int threads = 1;
};

template <class Values>
std::vector<std::string> names(const Values& values) {
    std::vector<std::string> found;
    for (const auto& [name, _] : values) {
        found.emplace_back(name);
    }
    return found;
}

std::unique_ptr<Kernel> make(const Asked& request) {
    for (const auto& [name, make] : kernels) {
        for (const auto& [letter, size] : classes) {
            if (request.kernel == name && request.size == letter) {
                return make(size);
            }
        }
    }
    throw std::logic_error("options let through " + request.kernel + " " + request.size);
}

/// Have OpenMP's teams as many threads as were asked for, or fail: a limit of the environment may allow
/// fewer.
void set_team_size(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    int value = 0;
#pragma omp parallel
#pragma omp single
    value = omp_get_num_threads();
    if (value != threads) {
        throw std::runtime_error("--threads " + std::to_string(threads) + ": OpenMP gives only " +
                                 std::to_string(value) + ", see OMP_THREAD_LIMIT");
    }
}

/// Raises std::runtime_error with the first check that fails.
void refuse_wrong(const std::vector<Check>& checks) {
    for (const Check& check : checks) {
        if (!check.passed()) {
            std::array<char, 200> text;
            std::snprintf(text.data(), text.size(), "verification failed: %s is %.15g, not %.15g",
                          check.what.c_str(), check.computed, check.official);
            throw std::runtime_error(text.data());
        }
    }
}

void run_kernel(const Asked& request) {
    set_team_size(request.threads);
    const Clock clock(Timer::monotonic);
    const std::unique_ptr<Kernel> kernel = make(request);
    const double start_s = clock.now_s();
    kernel->prepare();
    const double ready_s = clock.now_s();
    kernel->solve();
    const double time_s = clock.now_s() - ready_s;
    const std::vector<Check> checks = kernel->verify();
    refuse_wrong(checks);

    const Lines lines(
        {{"kernel", request.kernel}, {"class", request.size}, {"threads", std::int64_t{request.threads}}});
    lines.write("time_s", "s", {}, {time_s});
    lines.write("prepare_s", "s", {}, {ready_s - start_s});
    lines.write("operations_per_s", "1/s", {}, {kernel->operations() / time_s});
    std::fprintf(stderr, "%s class %s, %d threads: %.6f s, %.0f Mop/s, %zu values verified\n",
                 request.kernel.c_str(), request.size.c_str(), request.threads, time_s,
                 kernel->operations() / time_s / 1e6, checks.size());
}

} // namespace
} // namespace goodsyard::npb

int main(int argc, char** argv) {
    using namespace goodsyard;
    npb::Asked request;
    const auto declare = [&](Options& options) {
        options.add("kernel", request.kernel, "ep, cg, mg, ft, is, bt, sp or lu", npb::names(npb::kernels));
        options.add("--class", request.size, "Problem size", npb::names(npb::classes));
        options.add("--threads", request.threads, "Threads of OpenMP", {1, npb::most_threads});
        options.check([&] {
            if (request.kernel.empty()) {
                throw UsageError("which kernel? ep, cg, mg, ft, is, bt, sp or lu");
            }
        });
    };
    const std::string description = "A NAS kernel, verified by the official values.";
    return run(argc, argv,
               Program<Alone>{"npb", description, declare, [&](const Alone&) { npb::run_kernel(request); }});
}
