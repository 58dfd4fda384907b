// Arguments of messages as bytes, and back: values that are trivially copyable, texts, containers of the
// standard library, and structs that name their members.
//
// A struct that is not trivially copyable has `template <class Archive> void serialise(Archive& archive)
// { archive(first, second); }`, by which it is both written and read.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/portable.hpp"

namespace goodsyard::runtime {

template <class T>
concept Text = std::is_same_v<T, std::string>;
/// std::pair, std::tuple.
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };
template <class T>
concept Optional =
    requires { typename T::value_type; } && std::is_same_v<T, std::optional<typename T::value_type>>;
/// What has a beginning, an end and a number of elements: vectors, maps, sets, lists.
template <class T>
concept Container = requires(T& all, T::value_type element) {
    all.clear();
    all.insert(all.end(), std::move(element));
    all.size();
};
template <class T, class Archive>
concept Members = requires(T& value, Archive& archive) { value.serialise(archive); };

class Writer;
/// What is written as the bytes that it has, whose number is known.
template <class T>
concept Flat =
    std::is_trivially_copyable_v<T> && !Members<T, Writer> && !std::is_same_v<T, std::span<const std::byte>>;

template <class T>
constexpr void check_is_portable() {
    static_assert(Portable<T>, "an argument holds an address of this rank: a pointer, a reference, a "
                               "std::string_view; send a std::string, a value or a GlobalPtr");
}

/// Writes flat values one behind the other, and returns the place behind them.
template <Flat... T>
std::byte* write_flat(std::byte* place, const T&... values) {
    (check_is_portable<T>(), ...);
    ((std::memcpy(place, std::addressof(values), sizeof values), place += sizeof values), ...);
    return place;
}

/// Appends values to bytes.
class Writer {
  public:
    explicit Writer(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    template <class... T>
    void operator()(const T&... values) {
        (write(values), ...);
    }

  private:
    template <class T>
    void write(const T& value) {
        if constexpr (std::is_same_v<T, std::span<const std::byte>>) {
            write(static_cast<std::uint64_t>(value.size()));
            append(value.data(), value.size());
        } else if constexpr (Members<T, Writer>) {
            const_cast<T&>(value).serialise(*this); // Which only reads it.
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            check_is_portable<T>();
            const auto bytes = std::as_bytes(std::span(&value, 1));
            append(bytes.data(), bytes.size());
        } else if constexpr (Optional<T>) {
            write(value.has_value());
            if (value) {
                write(*value);
            }
        } else if constexpr (Container<T>) {
            write(static_cast<std::uint64_t>(value.size()));
            if constexpr (Text<T>) {
                append(value.data(), value.size());
            } else {
                for (const auto& element : value) {
                    write(static_cast<const T::value_type&>(element));
                }
            }
        } else {
            static_assert(TupleLike<T>, "an argument of this type has no serialise(archive)");
            std::apply([&](const auto&... member) { (write(member), ...); }, value);
        }
    }
    void append(const void* data, std::size_t size) {
        const std::size_t before = bytes_.size();
        bytes_.resize(before + size);
        if (size > 0) {
            std::memcpy(bytes_.data() + before, data, size);
        }
    }

    std::vector<std::byte>& bytes_;
};

/// Takes values from bytes, in the order in which they were written. Raises std::length_error where they end
/// before a value does.
class Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
    [[nodiscard]] bool is_at_end() const { return bytes_.empty(); }

    template <class... T>
    void operator()(T&... values) {
        ((values = read<T>()), ...);
    }
    /// `std::span<const std::byte>` is a view of the bytes, and ends with these.
    template <class T>
    [[nodiscard]] T read() {
        if constexpr (std::is_same_v<T, std::span<const std::byte>>) {
            return take(read<std::uint64_t>());
        } else if constexpr (Members<T, Reader>) {
            T value{};
            value.serialise(*this);
            return value;
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            std::array<std::byte, sizeof(T)> own;
            std::memcpy(own.data(), take(sizeof(T)).data(), sizeof(T));
            return std::bit_cast<T>(own);
        } else if constexpr (Optional<T>) {
            return read<bool>() ? T(read<typename T::value_type>()) : T();
        } else if constexpr (Container<T>) {
            return read_container<T>();
        } else {
            return read_tuple<T>(std::make_index_sequence<std::tuple_size_v<T>>());
        }
    }

  private:
    template <class T>
    T read_container() {
        T value;
        const auto count = read<std::uint64_t>();
        if constexpr (Text<T>) {
            const std::span<const std::byte> text = take(count);
            value.assign(reinterpret_cast<const char*>(text.data()), text.size());
        } else {
            for (std::uint64_t i = 0; i < count; ++i) {
                value.insert(value.end(), read<Element<typename T::value_type>>());
            }
        }
        return value;
    }
    /// In braces, members are read from left to right.
    template <class T, std::size_t... member>
    T read_tuple(std::index_sequence<member...> /*members*/) {
        return T{read<std::tuple_element_t<member, T>>()...};
    }
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > bytes_.size()) {
            throw std::length_error("a message ends before its last argument does");
        }
        const std::span<const std::byte> drained = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return drained;
    }

    /// Keys of maps are const.
    template <class T>
    struct Mutable {
        using Type = std::remove_const_t<T>;
    };
    template <class First, class Second>
    struct Mutable<std::pair<const First, Second>> {
        using Type = std::pair<First, Second>;
    };
    template <class T>
    using Element = Mutable<T>::Type;

    std::span<const std::byte> bytes_;
};

} // namespace goodsyard::runtime
