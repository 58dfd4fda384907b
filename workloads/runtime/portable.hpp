// Whether the bytes of a value mean the same on another rank: not where it holds an address of this one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace goodsyard::runtime {

/// To be specialised as true for a trivially copyable type with a union, in which the compiler cannot tell an
/// address from a number.
template <class T>
inline constexpr bool holds_no_address = false;

namespace portable {

/// Whether a constant expression may make a T from bytes: the language forbids it where a pointer, a
/// reference, a pointer to a member or a union is anywhere in it ([bit.cast]), in the captures of a lambda
/// too.
template <class T>
concept FromBytes =
    requires { typename std::bool_constant<(std::bit_cast<T>(std::array<std::byte, sizeof(T)>{}), true)>; };

template <class T>
struct Judgement {
    // A class without a constexpr constructor is in no constant expression, so that nothing is known of it.
    static constexpr bool value =
        holds_no_address<T> || std::is_empty_v<T> || !__is_literal_type(T) || FromBytes<T>;
};
template <class T>
struct Judgement<std::optional<T>> : Judgement<T> {};
template <class... Alternatives>
struct Judgement<std::variant<Alternatives...>> {
    static constexpr bool value = (Judgement<Alternatives>::value && ...);
};
template <>
struct Judgement<std::monostate> : std::true_type {};
// GCC 12 does not look into arrays that are members.
template <class T, std::size_t size>
struct Judgement<std::array<T, size>> : Judgement<T> {};

} // namespace portable

/// A trivially copyable type that holds no address: no pointer, reference, std::string_view or std::span, and
/// no lambda that captures one or `this`, or anything by reference. An address that comes back to its rank
/// goes as a GlobalPtr.
template <class T>
concept Portable = std::is_trivially_copyable_v<T> && portable::Judgement<std::remove_cv_t<T>>::value;

} // namespace goodsyard::runtime
