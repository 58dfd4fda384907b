// One buffer that grows by pages which the kernel hands out when they are touched: a heap would keep more
// resident memory than it lends, and what is resident here is the floor of every child's peak memory.
#pragma once

#include <cstddef>
#include <span>

namespace steelyard {

class Arena {
  public:
    /// `size` bytes aligned for any type, contents undefined; empty when the kernel has no memory. The bytes
    /// given before are no longer valid.
    std::span<char> take(std::size_t size);

  private:
    char* start_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace steelyard
