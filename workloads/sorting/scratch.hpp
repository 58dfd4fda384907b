// Memory that items are received in: kept for the next sort, and not initialised, since all of it is written.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace goodsyard::sorting {

template <class Item>
class Scratch {
  public:
    /// Room for `count` items of no particular value; what was there before is lost. Raises std::bad_alloc.
    Item* room(std::size_t count) {
        if (count > capacity_) {
            const std::size_t alignment =
                count * sizeof(Item) < worth ? alignof(std::max_align_t) : large_page;
            const std::size_t bytes = (count * sizeof(Item) + alignment - 1) / alignment * alignment;
            capacity_ = 0;
            items_.reset(); // before there is more
            items_.reset(static_cast<Item*>(std::aligned_alloc(alignment, bytes)));
            if (!items_) {
                throw std::bad_alloc();
            }
            capacity_ = bytes / sizeof(Item);
            if (alignment == large_page) {
                madvise(items_.get(), bytes, MADV_HUGEPAGE); // One fault for 512 pages, where the kernel can.
            }
        }
        return items_.get();
    }

  private:
    static constexpr std::size_t large_page = std::size_t{1} << 21;
    static constexpr std::size_t worth = 4 * large_page; ///< bytes

    struct Free {
        void operator()(Item* items) const { std::free(items); }
    };
    std::unique_ptr<Item, Free> items_;
    std::size_t capacity_ = 0;
};

} // namespace goodsyard::sorting
