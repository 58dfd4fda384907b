#include "arena.hpp"

#include <sys/mman.h>

namespace steelyard {

std::span<char> Arena::take(std::size_t size) {
    constexpr std::size_t step = std::size_t{256} << 10U;
    if (size > size_) {
        if (start_ != nullptr) {
            munmap(start_, size_);
        }
        start_ = nullptr;
        size_ = 0;
        const std::size_t rounded = (size + step - 1) / step * step;
        void* const pages =
            mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) {
            return {};
        }
        madvise(pages, rounded, MADV_NOHUGEPAGE); // one huge page would be 2 MB resident
        start_ = static_cast<char*>(pages);
        size_ = rounded;
    }
    return {start_, size};
}

} // namespace steelyard
