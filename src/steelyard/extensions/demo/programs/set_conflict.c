// A program that is slow in one environment of LINES = SPAN / LINE: where its one hot local variable falls
// into the cache set that its data fill already.
//
// It walks a ring of WAYS nodes that lie SPAN bytes apart, SPAN = sets x line: all fall into one set of the
// first-level cache, which has WAYS places, and stay there. After each turn it adds 1 to a counter on the
// stack. Wherever the counter lies in another set, all of this hits. Where it falls into the same set, WAYS +
// 1 lines take turns in WAYS places, and with replacement of the least recently used each of them misses.
// Linux puts the stack below the strings of argv and environment, in steps of 16 bytes: the length of one
// environment variable decides, LINE / 16 of the SPAN / 16 lengths that differ are slow (64-byte lines, 4096
// bytes: 4 of 256). A grid of lengths in steps of 64 or more meets each line once at most, and one of 256 is
// likely to miss it.
//
// Invariant: the timed loop touches no memory but the nodes and the counter, and each step waits for the one
// before.
//
// Build:  cc -std=c11 -O2 -DWAYS=12 -DSPAN=4096 -DLINE=64 set_conflict.c -o set_conflict
//         WAYS, and SPAN = size / WAYS, from /sys/devices/system/cpu/cpu0/cache (the index whose type is
//         Data).
// Run:    set_conflict TURNS
// Prints: name=value: the count, the set of the nodes, and that of the counter.
// Exit:   0; 1 the walk ended at a wrong node, or the count is wrong; 2 usage.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef WAYS
#define WAYS 12
#endif
#ifndef SPAN
#define SPAN 4096 // bytes: what one way holds
#endif
#ifndef LINE
#define LINE 64 // bytes
#endif

struct node {
    struct node* next;
    char rest[SPAN - sizeof(struct node*)];
};

_Static_assert(SPAN % LINE == 0 && WAYS > 1, "a way holds whole lines");

static _Alignas(SPAN) struct node ring[WAYS];

static unsigned set_of(const volatile void* address) {
    return (unsigned)((uintptr_t)address % SPAN / LINE);
}

int main(int argc, char** argv) {
    char* end = NULL;
    const uint64_t turns = argc == 2 ? strtoull(argv[1], &end, 10) : 0;
    if (end == NULL || *end != '\0' || argv[1][0] < '0' || argv[1][0] > '9') {
        fputs("usage: set_conflict TURNS\n", stderr);
        return 2;
    }
    for (int i = 0; i < WAYS; i++) {
        ring[i].next = &ring[(i + 1) % WAYS];
    }

    _Alignas(16) volatile uint64_t count = 0;
    struct node* at = ring;
    for (uint64_t turn = 0; turn < turns; turn++) {
        for (int i = 0; i < WAYS; i++) {
            at = at->next;
        }
        const uint64_t before = count;
        // Zero, which the compiler cannot know: the walk goes on when the counter has been read.
        at = (struct node*)((uintptr_t)at + (before > turn));
        count = before + 1;
    }

    printf("count=%" PRIu64 " ring_set=%u counter_set=%u\n", count, set_of(ring), set_of(&count));
    if (at != ring || count != turns) {
        fputs("set_conflict: the walk ended at a wrong place\n", stderr);
        return 1;
    }
    return 0;
}
