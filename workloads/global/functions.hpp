// Functions that ranks send each other, by number: their addresses differ from process to process.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace goodsyard::global {

class Delegates;

/// Executed on the rank of `object`; the payload lies in the message.
using Function = void (*)(Delegates& self, void* object, const std::uint64_t* payload, int from);

/// By number. All ranks run the same program, whose static objects are made in the same order.
inline constinit std::vector<Function> functions;

[[nodiscard]] inline std::uint64_t enrol(Function function) {
    functions.push_back(function);
    return functions.size() - 1;
}
template <Function function>
inline const std::uint64_t number_of = enrol(function);

/// Words of 8 bytes that hold a value; none where it is empty.
template <class T>
inline constexpr std::size_t words_of = std::is_empty_v<T> ? 0 : (sizeof(T) + 7) / 8;

template <class T>
void pack(const T& value, std::uint64_t* words) {
    if constexpr (!std::is_empty_v<T>) {
        std::memcpy(words, &value, sizeof value);
    }
}
template <class T>
[[nodiscard]] T unpacked(const std::uint64_t* words) {
    std::array<std::byte, sizeof(T)> bytes{};
    if constexpr (!std::is_empty_v<T>) {
        std::memcpy(bytes.data(), words, sizeof(T));
    }
    return std::bit_cast<T>(bytes);
}

} // namespace goodsyard::global
