// A program whose profile names the wrong cause, because taking it costs by the call.
//
// It gathers values along a chain of LINKS places in memory, which is what its time goes by, and mixes each
// by BATCH short steps a call. With -DTIMED=1, both functions are timed as an instrumented profile times
// them: the clock is asked before and after every call, and the time of each function is reported by the line
// protocol. BATCH changes how many calls do the steps, and nothing of what they do.
//
// Build:  cc -std=gnu11 -O2 [-DTIMED=1] [-DBATCH=N] [-DLINKS=N] belief.c -o belief
// Run:    belief ROUNDS, each of four links and 32 steps
// Prints: name=value: a checksum, the same for every BATCH.
// Exit:   0; 1 memory; 2 usage.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef TIMED
#define TIMED 0
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef LINKS
#define LINKS (1 << 22)
#endif

enum { STEPS = 32, HOPS = 4 };
_Static_assert(STEPS % BATCH == 0, "BATCH divides the steps of a round");

static uint32_t* chain;

/// One cycle through all places, in an order that no prefetcher follows (Sattolo).
static int link_up(void) {
    chain = malloc(sizeof *chain * LINKS);
    if (chain == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        chain[i] = i;
    }
    uint64_t state = 88172645463325252U;
    for (uint32_t i = LINKS - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const uint32_t with = (uint32_t)(state % i);
        const uint32_t kept = chain[i];
        chain[i] = chain[with];
        chain[with] = kept;
    }
    return 1;
}

__attribute__((noinline)) static uint32_t gather(uint32_t at) {
    for (int hop = 0; hop < HOPS; hop++) {
        at = chain[at];
    }
    return at;
}

__attribute__((noinline)) static uint64_t mix(uint64_t sum) {
    for (int step = 0; step < BATCH; step++) {
        sum = (sum ^ (sum >> 29)) * 0x9E3779B97F4A7C15U;
    }
    return sum;
}

#if TIMED
static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static double gather_s;
static double mix_s;
#define TIME(spent, call)                                                                                    \
    do {                                                                                                     \
        const double begun_s = now_s();                                                                      \
        call;                                                                                                \
        (spent) += now_s() - begun_s;                                                                        \
    } while (0)

static void report(void) {
    const char* path = getenv("STEELYARD_METRICS");
    FILE* file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL) {
        return;
    }
    fprintf(file, "{\"steelyard\":1,\"metric\":\"gather_s\",\"unit\":\"s\",\"values\":[%.9f]}\n", gather_s);
    fprintf(file, "{\"steelyard\":1,\"metric\":\"mix_s\",\"unit\":\"s\",\"values\":[%.9f]}\n", mix_s);
    fclose(file);
}
#else
#define TIME(spent, call) call
#define report() ((void)0)
#endif

int main(int argc, char** argv) {
    char* end = NULL;
    const unsigned long rounds = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (end == NULL || *end != '\0' || argv[1][0] < '0' || argv[1][0] > '9') {
        fputs("usage: belief ROUNDS\n", stderr);
        return 2;
    }
    if (!link_up()) {
        fputs("belief: not enough memory\n", stderr);
        return 1;
    }
    uint32_t at = 0;
    uint64_t sum = 1;
    for (unsigned long round = 0; round < rounds; round++) {
        TIME(gather_s, at = gather(at));
        sum += at % 16;
        for (int step = 0; step < STEPS; step += BATCH) {
            TIME(mix_s, sum = mix(sum));
        }
    }
    report();
    printf("sum=%" PRIu64 "\n", sum);
    return 0;
}
