// Keys from a text file, a number a line.
#pragma once

#include <string>
#include <vector>

#include "harness/team.hpp"
#include "sorting/inputs.hpp"

namespace goodsyard::sorting {

/// All keys of a file, on all ranks; rank 0 reads. Collective.
///
/// Raises SharedFailure, with the line, where it cannot be read, has no keys, an empty line, or something
/// that is not a number of the type. NaN has no place in any order, and is refused.
std::vector<Key> read_keys(const Team& team, const std::string& name, KeyType type);

} // namespace goodsyard::sorting
