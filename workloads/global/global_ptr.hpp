// Pointers into a global address space: a rank, and an address there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace goodsyard::global {

/// Points to an object of rank `rank`, which alone may dereference it; any rank may hold, copy and send it.
/// Trivially copyable. The address is kept as a number, by which the compiler tells it from pointers, which
/// mean nothing on other ranks (runtime/portable.hpp).
template <class T>
class GlobalPtr {
  public:
    GlobalPtr() = default;
    GlobalPtr(int of_rank, T* address) : rank(of_rank), place_(reinterpret_cast<std::uintptr_t>(address)) {}

    int rank = 0;

    /// To be dereferenced on its rank.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    [[nodiscard]] T* address() const { return reinterpret_cast<T*>(place_); }

    /// The n-th object behind it, on the same rank.
    [[nodiscard]] GlobalPtr operator+(std::ptrdiff_t n) const { return {rank, address() + n}; }
    /// A member of the object.
    template <class Member, class Class>
    [[nodiscard]] auto member(Member Class::* of) const {
        static_assert(std::is_same_v<std::remove_const_t<T>, Class>);
        using Pointed = std::conditional_t<std::is_const_v<T>, const Member, Member>;
        return GlobalPtr<Pointed>{rank, &(address()->*of)};
    }
    [[nodiscard]] explicit operator bool() const { return place_ != 0; }
    // NOLINTNEXTLINE(google-explicit-constructor): as T* becomes const T*.
    operator GlobalPtr<const T>() const
        requires(!std::is_const_v<T>)
    {
        return {rank, address()};
    }
    friend bool operator==(const GlobalPtr&, const GlobalPtr&) = default;

  private:
    std::uintptr_t place_ = 0;
};

} // namespace goodsyard::global
