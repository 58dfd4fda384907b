// What an operation of each kind takes on this machine, for computing on simulated ones: writes the file that
// `--rates` reads. The source's own is workloads/harness/rates.json.

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "calibrate/loops.hpp"
#include "harness/computation.hpp"
#include "harness/program.hpp"
#include "protocol/lines.hpp"
#include "timing/quantile.hpp"

namespace goodsyard {
namespace {

using Loop = std::uint64_t (Loops::*)();

/// In the order of `Work`.
constexpr std::array<Loop, work_names.size()> loops = {
    &Loops::comparison, &Loops::move,      &Loops::hash,      &Loops::flop,         &Loops::random_access,
    &Loops::handler,    &Loops::coroutine, &Loops::fibre,     &Loops::fibre_switch, &Loops::sha1,
    &Loops::task,       &Loops::parcel,    &Loops::kept_item, &Loops::epoch};

struct Asked {
    std::string file;
    int repetitions = 200;
};

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::array<char, sizeof "2026-01-01"> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
    return text.data();
}

/// `model name` of /proc/cpuinfo (proc(5)); "unknown" where there is none.
std::string cpu_model() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown";
}

/// CPU time of this process: what others do to a busy machine is not part of an operation.
double cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// CPU seconds an operation of each repetition; the loops take turns, so that a disturbance meets all of
/// them.
std::array<std::vector<double>, work_names.size()> measure_rates(int repetitions) {
    Loops memory;
    std::array<std::vector<double>, work_names.size()> seconds;
    for (const Loop loop : loops) {
        (memory.*loop)();
    }
    for (int i = 0; i < repetitions; ++i) {
        for (std::size_t kind = 0; kind < loops.size(); ++kind) {
            const double begin_s = cpu_s();
            const std::uint64_t operations = (memory.*loops[kind])();
            seconds[kind].push_back((cpu_s() - begin_s) / static_cast<double>(operations));
        }
    }
    return seconds;
}

nlohmann::ordered_json document(const Asked& request, const Lines& lines) {
    nlohmann::ordered_json rates = {{"format", "steelyard-rates"},
                                    {"version", 2},
                                    {"date", today()},
                                    {"cpu", cpu_model()},
                                    {"compiler", __VERSION__},
                                    {"repetitions", request.repetitions}};
    auto seconds = measure_rates(request.repetitions);
    for (std::size_t kind = 0; kind < seconds.size(); ++kind) {
        const std::string name(work_names[kind]);
        lines.write("operation_s", "s", {{"work", name}}, seconds[kind]);
        std::sort(seconds[kind].begin(), seconds[kind].end());
        const double median_s = quantile(seconds[kind], 0.5);
        const double q1_s = quantile(seconds[kind], 0.25);
        const double q3_s = quantile(seconds[kind], 0.75);
        rates["operations"][name] = {{"median_s", median_s}, {"q1_s", q1_s}, {"q3_s", q3_s}};
        std::fprintf(stderr, "%-14s%9.3f ns, quartiles %.3f and %.3f ns\n", name.c_str(), median_s * 1e9,
                     q1_s * 1e9, q3_s * 1e9);
    }
    return rates;
}

void calibrate(const Asked& request) {
    const std::string text = document(request, Lines({})).dump(4) + "\n";
    if (request.file.empty()) {
        return;
    }
    std::ofstream file(request.file);
    file << text;
    if (!file.flush()) {
        throw std::runtime_error("cannot write the rates to " + request.file);
    }
}

} // namespace
} // namespace goodsyard

int main(int argc, char** argv) {
    using namespace goodsyard;
    Asked request;
    const auto declare = [&](Options& options) {
        options.add("--output", request.file, "File for `--rates`; without one, only lines are written");
        options.add("--repetitions", request.repetitions, "Of every loop", {4, 100'000});
    };
    const std::string description = "CPU seconds an operation of each kind that simulated programs charge; "
                                    "writes Steelyard's line protocol.";
    return run(argc, argv,
               Program<Alone>{"calibrate", description, declare, [&](const Alone&) { calibrate(request); }});
}
