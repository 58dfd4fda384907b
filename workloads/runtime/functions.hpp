// Functions that ranks send each other, by number: their addresses differ from process to process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "harness/random.hpp"

namespace goodsyard::runtime {

/// All ranks run the same program, whose static objects are made in the same order; that they do is compared
/// where channels are.
class Functions {
  public:
    /// Returns the number of a function.
    std::uint32_t enrol(void (*function)(), std::string_view name) {
        functions_.push_back(function);
        fingerprint_ = mix64(fingerprint_ ^ std::hash<std::string_view>{}(name));
        return static_cast<std::uint32_t>(functions_.size() - 1);
    }
    [[nodiscard]] std::size_t size() const { return functions_.size(); }
    /// `number` is below `size()`, and `Function` is the type that was enrolled.
    template <class Function>
    [[nodiscard]] Function at(std::uint64_t number) const {
        return reinterpret_cast<Function>(functions_[number]);
    }
    /// What distinguishes the functions that there are, and their order.
    [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

  private:
    std::vector<void (*)()> functions_;
    std::uint64_t fingerprint_ = 0;
};

inline constinit Functions functions;

template <auto function>
inline const std::uint32_t number_of =
    functions.enrol(reinterpret_cast<void (*)()>(function),
                    typeid(std::integral_constant<decltype(function), function>).name());

} // namespace goodsyard::runtime
