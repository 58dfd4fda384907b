// Pointers into a global address space: a rank, and an address there.
#pragma once

#include <cstddef>
#include <type_traits>

namespace goodsyard::global {

/// Points to an object of rank `rank`, which alone may dereference it; any rank may hold, copy and send it.
/// Trivially copyable.
template <class T>
struct GlobalPtr {
    int rank = 0;
    T* address = nullptr;

    /// The n-th object behind it, on the same rank.
    [[nodiscard]] GlobalPtr operator+(std::ptrdiff_t n) const { return {rank, address + n}; }
    /// A member of the object.
    template <class Member, class Class>
    [[nodiscard]] auto member(Member Class::* of) const {
        static_assert(std::is_same_v<std::remove_const_t<T>, Class>);
        using Its = std::conditional_t<std::is_const_v<T>, const Member, Member>;
        return GlobalPtr<Its>{rank, &(address->*of)};
    }
    [[nodiscard]] explicit operator bool() const { return address != nullptr; }
    // NOLINTNEXTLINE(google-explicit-constructor): as T* becomes const T*.
    operator GlobalPtr<const T>() const
        requires(!std::is_const_v<T>)
    {
        return {rank, address};
    }
    friend bool operator==(const GlobalPtr&, const GlobalPtr&) = default;
};

} // namespace goodsyard::global
