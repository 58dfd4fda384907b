// Where a program calls something, for people.
#pragma once

#include <source_location>
#include <string>

namespace goodsyard::runtime {

using Place = std::source_location;

/// The file, without its folder, and the line.
[[nodiscard]] std::string text_of(const Place& place);

/// `subject` and the place behind it, unless that is within the standard library (`std::make_unique`).
[[nodiscard]] std::string with_place(const std::string& subject, const Place& place);

} // namespace goodsyard::runtime
