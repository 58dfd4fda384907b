// Sorting the block of one rank.
#pragma once

#include <string>
#include <vector>

#include "sorting/item.hpp"
#include "sorting/parameters.hpp"

namespace goodsyard::sorting {

/// Whether this program was built with the library that `local` needs. `std` is always there.
bool is_built_in(LocalSort local);

/// The Debian package that it takes; empty for `std`.
std::string package_of(LocalSort local);

/// Sort by key. Equal keys keep their order with `std` only. Raises std::invalid_argument where it is not
/// built in, and for records with vqsort, which sorts bare keys.
void sort_locally(std::vector<Key>& items, LocalSort local);
void sort_locally(std::vector<Record>& items, LocalSort local);

} // namespace goodsyard::sorting
