// Stacks for fibres; memory is touched only as deep as a stack is used.
#pragma once

#include <cstddef>
#include <vector>

namespace goodsyard::runtime {

struct Stack {
    void* bottom = nullptr; ///< The lowest address.
    std::size_t bytes = 0;
};

/// How stacks lie in memory.
enum class StackPages : int {
    /// Each ends at a page that cannot be touched, as long as Linux allows the process so many mappings.
    guarded,
    huge, ///< Densely, in huge pages: with 100,000 the address translation then finds room in the CPU.
};

class StackPool {
  public:
    /// Stacks of at least so many bytes, less what guarded ones are staggered by.
    /// `rank` is the one whose tasks run on them, for people.
    explicit StackPool(std::size_t bytes, StackPages pages = StackPages::guarded, int rank = -1);
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;
    ~StackPool();

    /// A stack that is there as long as the pool. Raises std::bad_alloc where the system has no address space
    /// left.
    [[nodiscard]] Stack take() {
        if (free_.empty()) {
            pages_ == StackPages::guarded ? map_guarded() : map_dense();
        }
        const Stack stack = free_.back();
        free_.pop_back();
        return stack;
    }

  private:
    void map_guarded();
    void map_dense();
    /// Returns the first byte.
    std::byte* map(std::size_t bytes);

    StackPages pages_;
    int rank_;
    std::size_t page_bytes_;
    std::size_t bytes_; ///< Of a stack, in whole pages.
    std::size_t mapped_ = 0;
    std::size_t guards_ = 0; ///< Guard pages.
    std::vector<Stack> slabs_;
    std::vector<Stack> free_;
};

} // namespace goodsyard::runtime
