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
#include "calibrate/walks.hpp"
#include "harness/computation.hpp"
#include "harness/program.hpp"
#include "protocol/lines.hpp"
#include "timing/quantile.hpp"

namespace goodsyard {
namespace {

using Loop = std::uint64_t (Loops::*)();

/// In the order of `Work`.
constexpr std::array<Loop, work_names.size()> loops = {
    &Loops::comparison, &Loops::move,       &Loops::hash,      &Loops::flop,         &Loops::random_access,
    &Loops::handler,    &Loops::coroutine,  &Loops::fibre,     &Loops::fibre_switch, &Loops::sha1,
    &Loops::task,       &Loops::parcel,     &Loops::kept_item, &Loops::epoch,        &Loops::relaxation,
    &Loops::visit,      &Loops::item_class, &Loops::delegate,  &Loops::children};

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

using Samples = std::vector<double>;

/// CPU seconds an operation of each repetition.
struct Measurements {
    std::array<Samples, work_names.size()> operations;
    std::array<std::array<Samples, ReadRates::sizes>, read_orders.size()> reads;
};

template <class Repeated>
void measure(Samples& seconds, Repeated repeated) {
    const double begin_s = cpu_s();
    const std::uint64_t operations = repeated();
    seconds.push_back((cpu_s() - begin_s) / static_cast<double>(operations));
}

/// The loops take turns, so that a disturbance meets all of them.
Measurements measure_rates(int repetitions) {
    Loops memory;
    Walks walks;
    Measurements measurements;
    for (const Loop loop : loops) {
        (memory.*loop)();
    }
    for (int i = 0; i < repetitions; ++i) {
        for (std::size_t kind = 0; kind < loops.size(); ++kind) {
            (memory.*loops[kind])(); // Brings into the caches what it works on.
            measure(measurements.operations[kind], [&] { return (memory.*loops[kind])(); });
        }
        // A class alone, without its epoch.
        const auto of_kind = [&](Work kind) -> double& {
            return measurements.operations[static_cast<std::size_t>(kind)].back();
        };
        of_kind(Work::item_class) -= of_kind(Work::epoch);
        for (std::size_t size = 0; size < ReadRates::sizes; ++size) {
            for (std::size_t kind = 0; kind < read_orders.size(); ++kind) {
                walks.warm(size);
                measure(measurements.reads[kind][size],
                        [&] { return walks.walk(static_cast<ReadOrder>(kind), size); });
            }
        }
    }
    keep(walks.result());
    return measurements;
}

/// Of some samples, which are put in order: their median and quartiles, told to people too.
nlohmann::ordered_json summary(const std::string& name, Samples& seconds) {
    std::sort(seconds.begin(), seconds.end());
    const double median_s = quantile(seconds, 0.5);
    const double q1_s = quantile(seconds, 0.25);
    const double q3_s = quantile(seconds, 0.75);
    std::fprintf(stderr, "%-30s%9.3f ns, quartiles %.3f and %.3f ns\n", name.c_str(), median_s * 1e9,
                 q1_s * 1e9, q3_s * 1e9);
    return {{"median_s", median_s}, {"q1_s", q1_s}, {"q3_s", q3_s}};
}

nlohmann::ordered_json document(const Asked& request, const Lines& lines) {
    nlohmann::ordered_json rates = {{"format", "steelyard-rates"},
                                    {"version", 3},
                                    {"date", today()},
                                    {"cpu", cpu_model()},
                                    {"compiler", __VERSION__},
                                    {"repetitions", request.repetitions}};
    Measurements measurements = measure_rates(request.repetitions);
    for (std::size_t kind = 0; kind < measurements.operations.size(); ++kind) {
        const std::string name(work_names[kind]);
        Samples& seconds = measurements.operations[kind];
        lines.write("operation_s", "s", {{"work", name}}, seconds);
        rates["operations"][name] = summary(name, seconds);
    }
    for (std::size_t kind = 0; kind < measurements.reads.size(); ++kind) {
        const std::string name(read_orders[kind]);
        for (std::size_t size = 0; size < ReadRates::sizes; ++size) {
            const auto bytes = static_cast<std::int64_t>(ReadRates::table_bytes(size));
            Samples& seconds = measurements.reads[kind][size];
            lines.write("read_s", "s", {{"read", name}, {"bytes", bytes}}, seconds);
            nlohmann::ordered_json rate = {{"bytes", bytes}};
            rate.update(summary(name + " reads, " + std::to_string(bytes >> 10U) + " KiB", seconds));
            rates["reads"][name].push_back(rate);
        }
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
