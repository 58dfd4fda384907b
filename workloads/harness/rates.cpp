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

double seconds_of(const nlohmann::json& operations, const std::string& name) {
    const auto result = operations.find(name);
    if (result == operations.end()) {
        throw std::runtime_error("they have none of " + name +
                                 ", and are older than this program; run `calibrate` again");
    }
    const double seconds = result->at("median_s").get<double>();
    if (!(seconds > 0) || !std::isfinite(seconds)) {
        throw std::runtime_error(name + " takes no time");
    }
    return seconds;
}

} // namespace

Rates rates_from(const std::string& json) {
    Rates rates;
    try {
        const auto document = nlohmann::json::parse(json);
        const auto& version = document.at("version");
        if (document.at("format") != "steelyard-rates" || (version != 1 && version != 2)) {
            throw std::runtime_error("neither version 1 nor 2 of steelyard-rates");
        }
        rates.date = document.at("date").get<std::string>();
        const auto kinds = version == 1 ? static_cast<std::size_t>(Work::task) : work_names.size();
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            rates.seconds[kind] = seconds_of(document.at("operations"), std::string(work_names[kind]));
        }
        if (version == 1) {
            rates.seconds[static_cast<std::size_t>(Work::task)] =
                rates.seconds[static_cast<std::size_t>(Work::fibre)];
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
