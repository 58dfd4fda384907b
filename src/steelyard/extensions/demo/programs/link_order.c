// A program whose time depends on the order in which the linker was given its objects.
//
// This file is all of its objects: with -DINDEX=i, table i; without, the program. Each table begins with a
// node, and is followed in memory by the table of the next object on the linker's command line. Tables are
// SPAN bytes long, as much as one way of the first-level cache holds, so nodes of neighbours fall into the
// same set; table 0 is half a SPAN longer, so the nodes behind it fall into another one. The program walks
// the ring of nodes 0, 1, ... TABLES - 1, whatever their order in memory. With TABLES = WAYS + 3 and table 0
// at place p of 0 ... TABLES - 1, p + 1 nodes share the first set and TABLES - p - 1 the second; where one of
// these is above WAYS, its lines take turns in too few places, and every step to them misses: p = 0, 1, WAYS,
// WAYS + 1 and WAYS + 2, in 5 of TABLES orders (of 15, with 12 ways). Instructions and data stay the same.
//
// Build:  cc -std=c11 -O2 -DWAYS=12 -DSPAN=4096 -c link_order.c -o main.o
//         cc -std=c11 -O2 -DWAYS=12 -DSPAN=4096 -DINDEX=i -c link_order.c -o table_i.o    for i = 0 ... WAYS
//         + 2 cc main.o table_*.o -o link_order                                               in any order
// Run:    link_order STEPS
// Prints: name=value: how many nodes there are, and how many of them share a set at most.
// Exit:   0; 1 the walk ended at a wrong node; 2 usage.
#ifndef WAYS
#define WAYS 12
#endif
#ifndef SPAN
#define SPAN 4096 // bytes: what one way holds
#endif
#ifndef LINE
#define LINE 64 // bytes
#endif
#define TABLES (WAYS + 3)

struct node {
    struct node* next;
};

#ifdef INDEX

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

enum { BYTES = INDEX == 0 ? SPAN + SPAN / 2 : SPAN };

// Initialised, so that it lies in .data, where the linker keeps the order of its command line.
_Alignas(LINE) static struct {
    struct node node;
    char rest[BYTES - sizeof(struct node)];
} table = {{0}, {1}};

struct node* JOIN(node_, INDEX)(void);
struct node* JOIN(node_, INDEX)(void) {
    return &table.node;
}

#else

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if WAYS == 4
#define EACH_TABLE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6)
#elif WAYS == 8
#define EACH_TABLE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
#elif WAYS == 12
#define EACH_TABLE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#elif WAYS == 16
#define EACH_TABLE(X)                                                                                        \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18)
#else
#error "WAYS is 4, 8, 12 or 16"
#endif

#define DECLARE(i) struct node* node_##i(void);
EACH_TABLE(DECLARE)
#define TAKE(i) node_##i(),

int main(int argc, char** argv) {
    char* end = NULL;
    const unsigned long steps = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (end == NULL || *end != '\0' || argv[1][0] < '0' || argv[1][0] > '9') {
        fputs("usage: link_order STEPS\n", stderr);
        return 2;
    }
    struct node* nodes[TABLES] = {EACH_TABLE(TAKE)};
    int together[SPAN / LINE] = {0};
    int most = 0;
    for (int i = 0; i < TABLES; i++) {
        nodes[i]->next = nodes[(i + 1) % TABLES];
        const int count = ++together[(uintptr_t)nodes[i] % SPAN / LINE];
        most = count > most ? count : most;
    }
    const struct node* at = nodes[0];
    for (unsigned long step = 0; step < steps; step++) {
        at = at->next;
    }
    printf("nodes=%d most_in_a_set=%d\n", TABLES, most);
    if (at != nodes[steps % TABLES]) {
        fputs("link_order: the walk ended at a wrong node\n", stderr);
        return 1;
    }
    return 0;
}

#endif
