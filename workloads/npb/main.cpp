// A NAS kernel, checked against the official values: `npb cg --class W --threads 2`.
//
// One line of the protocol for each of the timed section, what precedes it, and the operations a second. A
// result that does not verify is told by name and value, and ends the program with 1.

#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "npb/kernel.hpp"
#include "protocol/lines.hpp"

namespace workloads::npb {
namespace {

using Make = std::unique_ptr<Kernel> (*)(ProblemClass);

const std::map<std::string, Make> kernels = {
    {"ep", make_ep}, {"cg", make_cg}, {"mg", make_mg}, {"ft", make_ft}, {"is", make_is}};

const std::map<std::string, ProblemClass> classes = {
    {"S", ProblemClass::S}, {"W", ProblemClass::W}, {"A", ProblemClass::A}, {"B", ProblemClass::B}};

constexpr int most_threads = 1024;

struct Options {
    std::string kernel;
    std::string size = "S";
    int threads = 0;
};

/// Seconds that `work` takes.
template <typename Work>
double timed(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// How many threads a team really gets: a limit of the environment may allow fewer than were asked for.
int team_size() {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

int report(const std::vector<Check>& checks) {
    const auto failed =
        std::count_if(checks.begin(), checks.end(), [](const Check& c) { return !c.passed(); });
    for (const Check& check : checks)
        if (!check.passed())
            fmt::print(stderr, "npb: {} is {:.15g}, not {:.15g}\n", check.what, check.computed,
                       check.official);
    if (failed > 0)
        fmt::print(stderr, "npb: verification failed: {} of {} values\n", failed, checks.size());
    return failed > 0 ? 1 : 0;
}

int run(const Options& options) {
    omp_set_dynamic(0);
    if (options.threads > 0)
        omp_set_num_threads(options.threads);
    const int threads = team_size();
    if (options.threads > 0 && threads != options.threads)
        throw std::runtime_error(fmt::format("{} threads are not available, only {}: see OMP_THREAD_LIMIT",
                                             options.threads, threads));

    const auto kernel = kernels.at(options.kernel)(classes.at(options.size));
    const double prepare_s = timed([&] { kernel->prepare(); });
    const double solve_s = timed([&] { kernel->solve(); });
    const std::vector<Check> checks = kernel->verify();
    if (const int code = report(checks); code != 0)
        return code;

    const Lines lines({{"kernel", options.kernel}, {"class", options.size}, {"threads", threads}});
    lines.write("solve_s", "s", Labels::object(), {solve_s});
    lines.write("prepare_s", "s", Labels::object(), {prepare_s});
    lines.write("operations_per_s", "1/s", Labels::object(), {kernel->operations() / solve_s});
    fmt::print(stderr, "{} class {}, {} threads: {:.6f} s, {:.0f} Mop/s, {} values verified\n",
               options.kernel, options.size, threads, solve_s, kernel->operations() / solve_s / 1e6,
               checks.size());
    return 0;
}

template <typename Values>
std::vector<std::string> names(const Values& values) {
    std::vector<std::string> found;
    for (const auto& [name, _] : values)
        found.push_back(name);
    return found;
}

} // namespace
} // namespace workloads::npb

int main(int argc, char** argv) {
    using namespace workloads::npb;
    Options options;
    CLI::App app{"NAS kernels, verified by the official values; writes Steelyard's line protocol.", "npb"};
    app.add_option("kernel", options.kernel, "Which")->required()->check(CLI::IsMember(names(kernels)));
    app.add_option("--class", options.size, "Problem size")
        ->check(CLI::IsMember(names(classes)))
        ->capture_default_str();
    app.add_option("--threads", options.threads, "Size of the team (default: as OpenMP decides)")
        ->check(CLI::Range(1, most_threads));
    try {
        app.parse(argc, argv);
        return run(options);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error);
        fmt::print(stderr, "npb: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "npb: {}\n", error.what());
        return 1;
    }
}
