// NumPy arrays that Python hands over and gets back, and their rows.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>

namespace steelyard {

template <typename T, std::size_t rank>
using Input = nanobind::ndarray<const T, nanobind::ndim<static_cast<nanobind::ssize_t>(rank)>,
                                nanobind::c_contig, nanobind::device::cpu>;

template <typename T>
using Output = nanobind::ndarray<nanobind::numpy, T>;

// An array of zeros, which Python will own.
template <typename T>
Output<T> output(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const auto length : shape) {
        size *= length;
    }
    auto* data = new T[size]();
    nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Output<T>(data, shape, owner);
}

template <typename Array>
auto values_of(const Array& array) {
    return std::span(array.data(), array.size());
}

// What an array has at one place of its first axis, flat.
template <typename Array>
auto row_of(const Array& array, std::size_t at) {
    const std::size_t length = array.size() / array.shape(0);
    return std::span(array.data() + at * length, length);
}

template <typename Array>
bool has_shape(const Array& array, std::initializer_list<std::size_t> lengths) {
    std::size_t axis = 0;
    for (const std::size_t length : lengths) {
        if (array.shape(axis++) != length) {
            return false;
        }
    }
    return true;
}

inline void require(bool condition, const char* condition_text) {
    if (!condition) {
        throw std::invalid_argument(condition_text);
    }
}

} // namespace steelyard
