// A program whose run time depends on where its stack begins.
//
// It adds 1, 2, ... N to each of SLOTS counters on the stack. A counter is an 8-byte member of a packed
// record that begins on a 16-byte boundary: it lies at 12 (mod 16). Linux puts the stack below the strings of
// argv and environment, in steps of 16 bytes. With address randomisation off, the length of one environment
// variable decides where the counters lie; with it on, chance does. Instructions and data stay the same.
//
// Which offsets split. Eight bytes at offset f cross a boundary of B bytes if f mod B > B - 8. Of the offsets
// 12, 28, 44, ... below B that is the last, B - 4. So over the environment's lengths, in steps of 16,
//     a line is crossed in 16 / LINE of the contexts        (64 bytes: 1/4),
//     a page is crossed in 16 SLOTS / PAGE of the contexts  (4096 bytes: 1/256 for one slot, 1/32 for eight).
// Records are three lines apart: all slots split a line together or none does, no two share a line, and one
// of them at most splits a page, because the table is smaller than a page.
//
// Why SLOTS. One counter is a chain: each addition waits until the last store is handed on to the load.
// Across lines that costs some CPUs many times as much, and others nothing. Eight counters are eight chains
// at once; what limits them is how fast stores leave the core, and a split one writes two lines. README.md
// has figures.
//
// Invariant: the timed loop touches no memory but the slots.
//
// Build:  cc -std=c11 -O2 [-DSLOTS=8] [-DLINE=64] [-DPAGE=4096] stack_split.c -o stack_split
// Run:    stack_split ADDITIONS   N = ADDITIONS
//         stack_split --where     N = 0. An argument of another length is another context.
// Prints: name=value: the sum of all slots, where the first lies, how many cross a line and a page.
// Exit:   0; 1 the sum is not SLOTS N (N + 1) / 2; 2 usage.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SLOTS
#define SLOTS 8
#endif
#ifndef LINE
#define LINE 64 // bytes; /sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size
#endif
#ifndef PAGE
#define PAGE 4096 // bytes; getconf PAGESIZE
#endif

enum { BEFORE = 12, STRIDE = 3 * LINE };

struct __attribute__((packed, aligned(16))) record {
    unsigned char before[BEFORE];
    volatile uint64_t sum; // volatile: every addition is a load and a store
    unsigned char after[STRIDE - BEFORE - sizeof(uint64_t)];
};

_Static_assert(LINE % 16 == 0 && PAGE % LINE == 0, "LINE is a multiple of 16, PAGE one of LINE");
_Static_assert(sizeof(struct record) == STRIDE, "the records lie STRIDE bytes apart");
_Static_assert(SLOTS >= 1 && SLOTS * STRIDE <= PAGE, "the table is smaller than a page");

static int crosses(uintptr_t address, uintptr_t boundary) {
    return address % boundary > boundary - sizeof(uint64_t);
}

int main(int argc, char** argv) {
    char* end = NULL;
    uint64_t additions = 0;
    if (argc == 2 && argv[1][0] >= '0' && argv[1][0] <= '9') {
        additions = strtoull(argv[1], &end, 10);
    }
    if (argc != 2 || (end == NULL ? strcmp(argv[1], "--where") != 0 : *end != '\0')) {
        fputs("usage: stack_split ADDITIONS | --where\n", stderr);
        return 2;
    }

    struct record table[SLOTS];
    for (int k = 0; k < SLOTS; k++) {
        table[k].sum = 0;
    }
    for (uint64_t i = 1; i <= additions; i++) {
        // Unrolled, or the loop's own instructions hide the stores; clang unrolls unasked.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 32
#endif
        for (int k = 0; k < SLOTS; k++) {
            table[k].sum += i;
        }
    }

    uint64_t sum = 0;
    int lines = 0;
    int pages = 0;
    for (int k = 0; k < SLOTS; k++) {
        const uintptr_t address = (uintptr_t)&table[k] + BEFORE;
        sum += table[k].sum;
        lines += crosses(address, LINE);
        pages += crosses(address, PAGE);
    }
    const uintptr_t first = (uintptr_t)&table[0] + BEFORE;
    printf("sum=%" PRIu64 " slots=%d line=%d page=%d offset_in_line=%d offset_in_page=%d across_line=%d "
           "across_page=%d\n",
           sum, SLOTS, LINE, PAGE, (int)(first % LINE), (int)(first % PAGE), lines, pages);

    // Halve the even factor: modulo 2^64 the product has lost the bit that would be halved.
    const uint64_t odd = additions + (additions % 2 == 0);
    const uint64_t even = additions + (additions % 2 == 1);
    if (sum != SLOTS * (even / 2) * odd) {
        fputs("stack_split: the sum is wrong\n", stderr);
        return 1;
    }
    return 0;
}
