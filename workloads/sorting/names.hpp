// What is written on the command line, and in labels, for what can be chosen.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sorting/blocks.hpp"
#include "sorting/inputs.hpp"
#include "sorting/parameters.hpp"

namespace goodsyard::sorting {

template <class Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

inline const Names<Algorithm> algorithms = {{"sample", Algorithm::sample},
                                            {"histogram", Algorithm::histogram},
                                            {"exact", Algorithm::exact},
                                            {"radix", Algorithm::radix},
                                            {"mini", Algorithm::mini}};
inline const Names<LocalSort> local_sorts = {{"std", LocalSort::std},
                                             {"pdq", LocalSort::pdq},
                                             {"ips4o", LocalSort::ips4o},
                                             {"vqsort", LocalSort::vqsort}};
inline const Names<Schedule> schedules = {{"batched", Schedule::batched},
                                          {"sequential", Schedule::sequential}};
inline const Names<Exchange> exchanges = {{"alltoallv", Exchange::alltoallv}, {"p2p", Exchange::p2p}};
inline const Names<Scan> scans = {{"doubling", Scan::doubling}, {"library", Scan::library}};
inline const Names<Groups> groupings = {{"ranges", Groups::ranges}, {"comm_split", Groups::comm_split}};
inline const Names<Distribution> distributions = {
    {"uniform", Distribution::uniform}, {"gaussian", Distribution::gaussian},
    {"zipf", Distribution::zipf},       {"few", Distribution::few},
    {"equal", Distribution::equal},     {"sorted", Distribution::sorted},
    {"reverse", Distribution::reverse}, {"pieces", Distribution::pieces}};
inline const Names<KeyType> key_types = {{"u64", KeyType::u64}, {"i64", KeyType::i64}, {"f64", KeyType::f64}};
inline const Names<Blocks> block_kinds = {
    {"even", Blocks::even}, {"uneven", Blocks::uneven}, {"holes", Blocks::holes}};

template <class Enum>
std::string name_of(const Names<Enum>& names, Enum value) {
    for (const auto& [name, meaning] : names) {
        if (meaning == value) {
            return name;
        }
    }
    return "?";
}

} // namespace goodsyard::sorting
