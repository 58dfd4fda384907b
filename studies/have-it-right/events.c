// A discrete-event simulation on a binary heap, with 16 places at which a software counter may count.
//
// It keeps QUEUE events in the heap, takes the earliest, and puts a later one in its place, ROUNDS times.
// What a place counts is what somebody who asks why this is slow would count: insertions, comparisons that go
// either way, moves of the sifting loops, ends of paths, draws. STEELYARD_SITES says at which share of the
// places it does (steelyard_probe.h).
//
// Invariant: heap[i] <= heap[2i + 1], heap[2i + 2] between rounds; times leave the heap in ascending order.
//
// Build:  cc -std=c11 -O2 [-DSTEELYARD_PROBES=N] [-DSTEELYARD_SITES=P] [-DQUEUE=N] [-DHEAP_ALIGNMENT=BYTES]
//         events.c -o events
// Run:    events ROUNDS
// Prints: name=value: the last time, and a checksum of all.
// Exit:   0; 1 the order was wrong; 2 usage.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <steelyard_probe.h>

#ifndef QUEUE
#define QUEUE 1024
#endif
#ifndef HEAP_ALIGNMENT
#define HEAP_ALIGNMENT 8 // bytes
#endif

static _Alignas(HEAP_ALIGNMENT) uint64_t heap[QUEUE];
static unsigned size;

static uint64_t draw(uint64_t* state) {
    STEELYARD_COUNT();
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void rise(unsigned at) {
    STEELYARD_COUNT();
    const uint64_t time = heap[at];
    while (at > 0) {
        STEELYARD_COUNT();
        const unsigned above = (at - 1) / 2;
        if (heap[above] <= time) {
            STEELYARD_COUNT();
            break;
        }
        STEELYARD_COUNT();
        heap[at] = heap[above];
        at = above;
    }
    STEELYARD_COUNT();
    heap[at] = time;
}

static void sink(unsigned at) {
    STEELYARD_COUNT();
    const uint64_t time = heap[at];
    for (;;) {
        STEELYARD_COUNT();
        unsigned below = 2 * at + 1;
        if (below >= size) {
            STEELYARD_COUNT();
            break;
        }
        if (below + 1 < size && heap[below + 1] < heap[below]) {
            STEELYARD_COUNT();
            below++;
        }
        if (time <= heap[below]) {
            STEELYARD_COUNT();
            break;
        }
        STEELYARD_COUNT();
        heap[at] = heap[below];
        at = below;
    }
    STEELYARD_COUNT();
    heap[at] = time;
}

int main(int argc, char** argv) {
    char* end = NULL;
    const unsigned long rounds = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (end == NULL || *end != '\0' || argv[1][0] < '0' || argv[1][0] > '9') {
        fputs("usage: events ROUNDS\n", stderr);
        return 2;
    }
    steelyard_probe_begin();
    uint64_t state = 88172645463325252U;
    while (size < QUEUE) {
        STEELYARD_COUNT();
        heap[size] = draw(&state) % 100000;
        rise(size++);
    }
    uint64_t last = 0;
    uint64_t sum = 0;
    int ordered = 1;
    for (unsigned long round = 0; round < rounds; round++) {
        STEELYARD_COUNT();
        const uint64_t time = heap[0];
        ordered &= time >= last;
        sum = sum * 31 + time;
        last = time;
        heap[0] = time + draw(&state) % 100000;
        sink(0);
    }
    steelyard_probe_end();
    printf("last=%" PRIu64 " sum=%" PRIu64 "\n", last, sum);
    return ordered ? 0 : 1;
}
