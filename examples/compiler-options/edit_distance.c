// The least number of insertions, deletions and substitutions that make one text another (Wagner and Fischer
// 1974, doi:10.1145/321796.321811), over two random texts of equal length.
//
// Verifies itself by the axioms of a distance: d(a, a) = 0, d(a, b) = d(b, a), 0 < d(a, b) <= length.
//
// Build:  cc -std=c11 -O2 edit_distance.c -o edit_distance
// Run:    edit_distance LENGTH      prints distance=D
// Exit:   0; 1 an axiom does not hold; 2 usage; 3 no memory.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LETTERS = 4, LONGEST = 100000 };

// Marsaglia's xorshift64 (doi:10.18637/jss.v008.i14): the same texts on every machine.
static uint64_t next(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int least(int a, int b, int c) {
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// `row` has length + 1 places; afterwards row[j] is the distance of all of a to the first j letters of b.
static int distance(const char* a, const char* b, int length, int* row) {
    for (int j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            const int above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[length];
}

int main(int argc, char** argv) {
    const int length = argc == 2 ? atoi(argv[1]) : 0;
    if (length < 1 || length > LONGEST) {
        fprintf(stderr, "usage: edit_distance LENGTH (1 to %d)\n", LONGEST);
        return 2;
    }
    char* a = malloc((size_t)length);
    char* b = malloc((size_t)length);
    int* row = malloc(((size_t)length + 1) * sizeof *row);
    if (a == NULL || b == NULL || row == NULL) {
        return 3;
    }
    uint64_t state = 88172645463325252U;
    for (int i = 0; i < length; i++) {
        a[i] = (char)('a' + next(&state) % LETTERS);
        b[i] = (char)('a' + next(&state) % LETTERS);
    }
    // Two short texts may happen to be equal.
    a[0] = 'a';
    b[0] = 'b';

    const int result = distance(a, b, length, row);
    const int back = distance(b, a, length, row);
    const int itself = distance(a, a, length, row);
    printf("distance=%d\n", result);
    free(row);
    free(b);
    free(a);
    if (itself != 0 || result != back || result < 1 || result > length) {
        fprintf(stderr, "edit_distance: %d there, %d back, %d to itself\n", result, back, itself);
        return 1;
    }
    return 0;
}
