#include "harness/computation.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/simulated.hpp"
#include "harness/source_rates.hpp"

#ifdef WORKLOADS_SIMULATED
#include <mpi.h>
#endif

namespace workloads {

namespace {

constexpr double fixed_s = 1e-9;

std::string read_file(const std::string& name) {
    std::ifstream file(name);
    if (!file) {
        throw std::runtime_error("cannot read the rates in " + name +
                                 "; make them with `calibrate --output " + name + "`");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

Rates rates_for(ComputeMode mode, const std::string& file) {
    Rates rates;
    if (mode == ComputeMode::fixed) {
        rates.seconds.fill(fixed_s);
    } else if (mode == ComputeMode::calibrated) {
        rates = file.empty() ? rates_of_the_source() : rates_from(read_file(file));
    }
    return rates;
}

} // namespace

Rates rates_from(const std::string& json) {
    Rates rates;
    try {
        const auto document = nlohmann::json::parse(json);
        if (document.at("format") != "steelyard-rates" || document.at("version") != 1) {
            throw std::runtime_error("not version 1 of steelyard-rates");
        }
        rates.date = document.at("date").get<std::string>();
        for (std::size_t kind = 0; kind < work_names.size(); kind++) {
            const double seconds =
                document.at("operations").at(std::string(work_names[kind])).at("median_s").get<double>();
            if (!(seconds > 0) || !std::isfinite(seconds)) {
                throw std::runtime_error(std::string(work_names[kind]) + " takes no time");
            }
            rates.seconds[kind] = seconds;
        }
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string("the rates cannot be used: ") + error.what());
    }
    return rates;
}

Rates rates_of_the_source() {
    return rates_from(source_rates);
}

Computation::Computation(ComputeMode mode, const std::string& file)
    : mode_(simulated ? mode : ComputeMode::off), rates_(rates_for(mode_, file)) {}

void Computation::charge([[maybe_unused]] Work kind, [[maybe_unused]] double operations) const {
#ifdef WORKLOADS_SIMULATED
    if (const double duration_s = seconds(kind, operations); duration_s > 0) {
        // In seconds of the simulated host, whatever its speed.
        smpi_execute_benched(duration_s);
    }
#endif
}

std::string Computation::label() const {
    if (!simulated) {
        return "real";
    }
    if (mode_ == ComputeMode::calibrated) {
        return "calibrated " + rates_.date;
    }
    return mode_ == ComputeMode::fixed ? "fixed" : "off";
}

} // namespace workloads
