// Files that programs are to read.
#pragma once

#include <optional>
#include <string>

namespace goodsyard {

/// Why a file cannot be read, where it cannot: it is not there, or a directory, which could be opened.
[[nodiscard]] std::optional<std::string> unreadable(const std::string& path);

} // namespace goodsyard
