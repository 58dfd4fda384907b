#include "runtime/stack_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/stack_guards.hpp"

namespace goodsyard::runtime {

namespace {

/// Mapped together; the first times fewer.
constexpr std::size_t fewest = 4;
constexpr std::size_t most = 64;
/// Each guard page splits a mapping, of which Linux allows a process 65,530 (vm.max_map_count); beyond these,
/// stacks have none.
constexpr std::size_t guarded = 16'384;
/// Fibres use the first lines of their stacks most. If these began at equal offsets of their pages, all would
/// compete for the same few sets of the first-level cache.
constexpr std::size_t stagger_bytes = 256;
constexpr std::size_t staggers = 16;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

/// Of all pools: on a simulated machine the ranks are in one process.
std::atomic<std::size_t>& guards_of_process() {
    static std::atomic<std::size_t> guards{0};
    return guards;
}

} // namespace

StackPool::StackPool(std::size_t bytes, StackPages pages, int rank)
    : pages_(pages), rank_(rank), page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      bytes_((bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_) {}

StackPool::~StackPool() {
    guards_of_process() -= guards_;
    for (const Stack& slab : slabs_) {
        forget_guards(static_cast<const std::byte*>(slab.bottom));
        munmap(slab.bottom, slab.bytes);
    }
}

std::byte* StackPool::map(std::size_t bytes) {
    void* slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (slab == MAP_FAILED) {
        throw std::bad_alloc();
    }
    slabs_.push_back({slab, bytes});
    return static_cast<std::byte*>(slab);
}

void StackPool::map_guarded() {
    const std::size_t stride = bytes_ + page_bytes_;
    const std::size_t stacks = std::clamp(mapped_, fewest, most);
    std::byte* slab = map(stacks * stride);
    if (guards_of_process() + stacks <= guarded) {
        watch_guards({slab, stride, stacks, page_bytes_, bytes_, rank_});
    }
    for (std::size_t i = stacks; i-- > 0;) {
        std::byte* guard = slab + i * stride;
        if (guards_of_process() < guarded) {
            mprotect(guard, page_bytes_, PROT_NONE);
            ++guards_of_process();
            ++guards_;
        }
        free_.push_back({guard + page_bytes_, bytes_ - (mapped_ + i) % staggers * stagger_bytes});
    }
    mapped_ += stacks;
}

void StackPool::map_dense() {
    // An odd multiple of the stagger: the tops of consecutive stacks go through all sets of the caches.
    const std::size_t stride = bytes_ + stagger_bytes;
    const std::size_t slab_bytes =
        std::max(huge_page_bytes, (stride + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes);
    std::byte* mapped = map(slab_bytes + huge_page_bytes);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(mapped) % huge_page_bytes;
    std::byte* slab = mapped + (huge_page_bytes - past) % huge_page_bytes;
    // Where the system has none to give, pages are small ones.
    madvise(slab, slab_bytes, MADV_HUGEPAGE);
    const std::size_t stacks = slab_bytes / stride;
    for (std::size_t i = stacks; i-- > 0;) {
        free_.push_back({slab + i * stride, stride});
    }
    mapped_ += stacks;
}

} // namespace goodsyard::runtime
