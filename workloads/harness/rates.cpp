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
        if (document.at("format") != "steelyard-rates" || document.at("version") != 1) {
            throw std::runtime_error("not version 1 of steelyard-rates");
        }
        rates.date = document.at("date").get<std::string>();
        for (std::size_t kind = 0; kind < work_names.size(); ++kind) {
            rates.seconds[kind] = seconds_of(document.at("operations"), std::string(work_names[kind]));
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
