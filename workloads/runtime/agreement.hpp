// What ranks make together, and have to make alike: they compare it when it is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/team.hpp"
#include "runtime/place.hpp"

namespace goodsyard::runtime {

/// Ends the program where `product`, for people, is not what the other ranks make. Collective.
void compare_products(const Team& team, const std::string& product, const Place& place);

/// The same; returns where it lies on each rank, by rank.
[[nodiscard]] std::vector<std::uintptr_t>
addresses_of_product(const Team& team, const void* own, const std::string& product, const Place& place);

} // namespace goodsyard::runtime
