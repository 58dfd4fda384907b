#include "runtime/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "harness/ending.hpp"

namespace goodsyard::runtime {

namespace {

/// What a rank makes, and where: as much of it as is compared, or said.
struct Product {
    std::uint64_t hash;
    std::uintptr_t address;
};
using Text = std::array<char, 256>;

/// By all ranks, of which `rank` is the first that makes something else than rank 0.
[[noreturn]] void refuse(const Team& team, const std::string& text, std::size_t rank) {
    Text local{};
    std::strncpy(local.data(), text.c_str(), local.size() - 1);
    const std::vector<Text> all = team.of_each(local);
    end_program(team.rank(), std::string("ranks make different things together: rank 0 ") + all[0].data() +
                                 ", rank " + std::to_string(rank) + " " + all[rank].data() +
                                 ": make the same on all ranks, in the same order");
}

} // namespace

std::vector<std::uintptr_t> addresses_of_product(const Team& team, const void* own,
                                                 const std::string& product, const Place& place) {
    const std::vector<Product> all =
        team.of_each(Product{std::hash<std::string>{}(product), reinterpret_cast<std::uintptr_t>(own)});
    const auto differs = [&](const Product& product_of_rank) { return product_of_rank.hash != all[0].hash; };
    if (const auto second = std::find_if(all.begin(), all.end(), differs); second != all.end()) [[unlikely]] {
        refuse(team, with_place(product, place), static_cast<std::size_t>(second - all.begin()));
    }
    std::vector<std::uintptr_t> addresses;
    addresses.reserve(all.size());
    for (const Product& product_of_rank : all) {
        addresses.push_back(product_of_rank.address);
    }
    return addresses;
}

void compare_products(const Team& team, const std::string& product, const Place& place) {
    static_cast<void>(addresses_of_product(team, nullptr, product, place));
}

} // namespace goodsyard::runtime
