// Binary search in a sorted array, with a branch or without, timed by the program itself: a start of a
// process takes a thousand times as long as a lookup, so the elapsed time of the process could not tell them
// apart.
//
// It reports by the line protocol (docs/protocol.md): a line for keys that are there and one for keys that
// are not, each with one value for every batch of lookups.
//
// Verifies itself: the keys are the even numbers, so the place of key 2k is k and odd keys have none.
//
// Build:  cc -std=c11 -O2 lookups.c -o lookups
// Run:    lookups branch|branchless ELEMENTS BATCHES
// Exit:   0; 1 a wrong place was found; 2 usage; 3 no memory, or the metrics cannot be written.
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKUPS = 20000, MOST_ELEMENTS = 100000000, MOST_BATCHES = 100000 };

typedef size_t search(const uint32_t* keys, size_t count, uint32_t key);

// The first place whose key is not below `wanted`; `count` where there is none.
static size_t with_branch(const uint32_t* keys, size_t count, uint32_t key) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The same; the comparison is added instead of branched on.
static size_t without_branch(const uint32_t* keys, size_t count, uint32_t key) {
    const uint32_t* base = keys;
    while (count > 1) {
        const size_t half = count / 2;
        base += (size_t)(base[half - 1] < key) * half;
        count -= half;
    }
    return (size_t)(base - keys) + (*base < key);
}

// Marsaglia's xorshift64 (doi:10.18637/jss.v008.i14).
static uint64_t next(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Seconds a lookup, one value a batch, as one line. `odd` is 1 to look for keys that are not there. False:
// wrong place.
static int report(FILE* to, search* find, const uint32_t* keys, uint32_t count, int batches, uint32_t odd) {
    static uint32_t targets[LOOKUPS];
    uint64_t state = 88172645463325252U;
    fprintf(
        to,
        "{\"steelyard\":1,\"metric\":\"lookup_s\",\"unit\":\"s\",\"labels\":{\"keys\":\"%s\"},\"values\":[",
        odd ? "absent" : "present");
    for (int batch = 0; batch < batches; batch++) {
        uint64_t expected = 0;
        uint64_t sum = 0;
        for (int i = 0; i < LOOKUPS; i++) {
            const uint32_t place = (uint32_t)(next(&state) % count);
            targets[i] = 2 * place + odd;
            expected += place + odd;
        }
        const double start_s = now_s();
        for (int i = 0; i < LOOKUPS; i++) {
            sum += find(keys, count, targets[i]);
        }
        const double end_s = now_s();
        if (sum != expected) {
            return 0;
        }
        fprintf(to, "%s%.4e", batch == 0 ? "" : ",", (end_s - start_s) / LOOKUPS);
    }
    fputs("]}\n", to);
    return 1;
}

int main(int argc, char** argv) {
    const long count = argc == 4 ? atol(argv[2]) : 0;
    const int batches = argc == 4 ? atoi(argv[3]) : 0;
    search* find = NULL;
    if (argc == 4) {
        find = strcmp(argv[1], "branch") == 0       ? with_branch
               : strcmp(argv[1], "branchless") == 0 ? without_branch
                                                    : NULL;
    }
    if (find == NULL || count < 1 || count > MOST_ELEMENTS || batches < 1 || batches > MOST_BATCHES) {
        fputs("usage: lookups branch|branchless ELEMENTS BATCHES\n", stderr);
        return 2;
    }
    uint32_t* keys = malloc((size_t)count * sizeof *keys);
    // Started by hand, it reports where one can see it.
    const char* name = getenv("STEELYARD_METRICS");
    FILE* to = name == NULL ? stdout : fopen(name, "w");
    if (keys == NULL || to == NULL) {
        return 3;
    }
    for (long i = 0; i < count; i++) {
        keys[i] = (uint32_t)(2 * i);
    }
    const int right = report(to, find, keys, (uint32_t)count, batches, 0) &&
                      report(to, find, keys, (uint32_t)count, batches, 1);
    if (!right) {
        fputs("lookups: a wrong place was found\n", stderr);
    }
    free(keys);
    if (fflush(to) != 0) {
        return 3;
    }
    return right ? 0 : 1;
}
