#include "memory/heap.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <malloc.h>

// The C library's own, by the names under which it offers them to wrappers.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

// Constant-initialised: allocations come before any constructor.
constinit std::atomic<long long> live_bytes{0};
constinit std::atomic<long long> allocations{0};

void* counted(void* memory) {
    if (memory) {
        live_bytes.fetch_add(static_cast<long long>(malloc_usable_size(memory)), std::memory_order_relaxed);
        allocations.fetch_add(1, std::memory_order_relaxed);
    }
    return memory;
}

void* aligned(std::size_t alignment, std::size_t bytes) {
    return counted(__libc_memalign(alignment, bytes));
}

} // namespace

extern "C" {

void* malloc(std::size_t bytes) {
    return counted(__libc_malloc(bytes));
}

void* calloc(std::size_t count, std::size_t bytes) {
    return counted(__libc_calloc(count, bytes));
}

void* realloc(void* old, std::size_t bytes) {
    const auto before = static_cast<long long>(old ? malloc_usable_size(old) : 0);
    void* memory = __libc_realloc(old, bytes);
    // A failed one leaves the old block as it was; one of no bytes frees it.
    if (memory || bytes == 0) {
        live_bytes.fetch_sub(before, std::memory_order_relaxed);
    }
    return counted(memory);
}

void free(void* memory) {
    if (!memory) {
        return;
    }
    live_bytes.fetch_sub(static_cast<long long>(malloc_usable_size(memory)), std::memory_order_relaxed);
    __libc_free(memory);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
    return aligned(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return aligned(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
        return EINVAL;
    }
    *memory = aligned(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

} // extern "C"

namespace goodsyard {

Heap heap_now() {
    return {live_bytes.load(std::memory_order_relaxed), allocations.load(std::memory_order_relaxed)};
}

} // namespace goodsyard
