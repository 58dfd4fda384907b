// What a counted operation takes: rates that were measured on a real machine.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "harness/read_rates.hpp"

namespace goodsyard {

/// Kinds of operations, each with a rate of its own. What one operation is: README.md, "calibrate".
enum class Work : int {
    comparison,
    move,
    hash,
    flop,
    random_access,
    handler,
    coroutine,
    fibre,
    fibre_switch,
    sha1,
    task,
    parcel,
    kept_item,
    epoch,
    relaxation,
    visit,
    item_class,
    delegate,
    children
};

inline constexpr std::array<std::string_view, 19> work_names = {
    "comparison", "move",         "hash",       "flop",     "random_access", "handler",   "coroutine",
    "fibre",      "fibre_switch", "sha1",       "task",     "parcel",        "kept_item", "epoch",
    "relaxation", "visit",        "item_class", "delegate", "children"};

/// Seconds an operation, in the order of `Work`, and a read; and where they come from.
struct Rates {
    std::array<double, work_names.size()> seconds = {};
    ReadRates reads;
    std::string date; ///< Of the calibration; empty for fixed rates.
};

/// Read what `calibrate` has written. Version 1 has the kinds before `task`, version 2 those before
/// `relaxation`, and neither has reads: a task then takes what a `fibre` does, a relaxation and a
/// visit what a `comparison` does, and what else is missing nothing. Raises std::runtime_error where it is
/// another format or a kind is missing.
Rates rates_from(const std::string& json);

/// Read a file that `calibrate` has written. Raises std::runtime_error where it cannot be read, too.
Rates rates_of_file(const std::string& name);

/// The rates that come with the source (harness/rates.json).
Rates rates_of_the_source();

} // namespace goodsyard
