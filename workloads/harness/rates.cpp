#include "harness/rates.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/input_file.hpp"
#include "harness/source_rates.hpp"

namespace goodsyard {

namespace {

double positive_seconds(const nlohmann::json& rate, const std::string& name) {
    const double seconds = rate.at("median_s").get<double>();
    if (!(seconds > 0) || !std::isfinite(seconds)) {
        throw std::runtime_error(name + " takes no time");
    }
    return seconds;
}

[[noreturn]] void refuse_lack(const std::string& name) {
    throw std::runtime_error("they have none of " + name +
                             ", and are older than this program; run `calibrate` again");
}

double seconds_of(const nlohmann::json& operations, const std::string& name) {
    const auto result = operations.find(name);
    if (result == operations.end()) {
        refuse_lack(name);
    }
    return positive_seconds(*result, name);
}

ReadRates reads_of(const nlohmann::json& reads) {
    ReadRates result;
    for (std::size_t kind = 0; kind < read_orders.size(); ++kind) {
        const auto of_kind = reads.find(read_orders[kind]);
        if (of_kind == reads.end()) {
            refuse_lack(std::string(read_orders[kind]) + " reads");
        }
        for (std::size_t size = 0; size < ReadRates::sizes; ++size) {
            const nlohmann::json& rate = of_kind->at(size);
            const std::string name = std::string(read_orders[kind]) + " reads of " +
                                     std::to_string(ReadRates::table_bytes(size)) + " bytes";
            if (rate.at("bytes") != ReadRates::table_bytes(size)) {
                refuse_lack(name);
            }
            result.at(static_cast<ReadOrder>(kind), size) = positive_seconds(rate, name);
        }
    }
    return result;
}

/// How many kinds a version has, the first ones.
std::size_t kinds_of(int version) {
    switch (version) {
    case 1:
        return static_cast<std::size_t>(Work::task);
    case 2:
        return static_cast<std::size_t>(Work::relaxation);
    case 3:
        return work_names.size();
    default:
        throw std::runtime_error("none of the versions 1 to 3 of steelyard-rates");
    }
}

} // namespace

Rates rates_from(const std::string& json) {
    Rates rates;
    try {
        const auto document = nlohmann::json::parse(json);
        if (document.at("format") != "steelyard-rates") {
            throw std::runtime_error("they are not steelyard-rates");
        }
        const int version = document.at("version").get<int>();
        rates.date = document.at("date").get<std::string>();
        for (std::size_t kind = 0; kind < kinds_of(version); ++kind) {
            rates.seconds[kind] = seconds_of(document.at("operations"), std::string(work_names[kind]));
        }
        const auto seconds = [&rates](Work kind) -> double& {
            return rates.seconds[static_cast<std::size_t>(kind)];
        };
        if (version == 1) {
            seconds(Work::task) = seconds(Work::fibre);
        }
        if (version < 3) {
            seconds(Work::relaxation) = seconds(Work::comparison);
            seconds(Work::visit) = seconds(Work::comparison);
        } else {
            rates.reads = reads_of(document.at("reads"));
        }
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string("the rates cannot be used: ") + error.what());
    }
    return rates;
}

Rates rates_of_file(const std::string& name) {
    if (const auto reason = unreadable(name)) {
        throw std::runtime_error("the rates in " + name + " " + *reason +
                                 "; make them with `calibrate --output " + name + "`");
    }
    std::ifstream file(name);
    return rates_from({std::istreambuf_iterator<char>(file), {}});
}

Rates rates_of_the_source() {
    return rates_from(source_rates);
}

} // namespace goodsyard
