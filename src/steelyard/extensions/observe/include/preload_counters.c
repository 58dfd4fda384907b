// A library that is preloaded and counts what a program asks of its allocator, as profilers of memory do.
//
// It takes the place of malloc, calloc, realloc and free, adds 1 to a counter for each, and calls the C
// library's own. The counts go nowhere: what they cost is the question.
//
// Build:  cc -std=c11 -O2 -shared -fPIC preload_counters.c -o preload_counters.so
#include <stddef.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size);
void* calloc(size_t count, size_t size);
void* realloc(void* old, size_t size);
void free(void* memory);

static volatile unsigned long long counts[4];

void* malloc(size_t size) {
    counts[0]++;
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    counts[1]++;
    return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
    counts[2]++;
    return __libc_realloc(old, size);
}

void free(void* memory) {
    counts[3]++;
    __libc_free(memory);
}
