// An item that passes other ranks on its way.
#pragma once

#include <cstdint>
#include <type_traits>

namespace goodsyard::runtime {

template <class Item>
struct Routed {
    std::int32_t to;
    std::int32_t from; ///< The rank that sent it first.
    Item item;
};

template <class Item>
inline constexpr bool is_routed = false;
template <class Item>
inline constexpr bool is_routed<Routed<Item>> = true;

} // namespace goodsyard::runtime
