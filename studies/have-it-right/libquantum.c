// Shor's algorithm on libquantum: the order of BASE modulo N, and from it a factor, as 462.libquantum of
// SPECint 2006 does. The library is Debian's, configured by libquantum.sh, whose files are compiled with this
// one.
//
// The register of 2 log2 N qubits is put into all states at once, BASE to their power is computed modulo N,
// and a Fourier transform leaves states near multiples of 2^width / order. One is measured, whose fraction in
// its lowest terms has the order below, or a divisor of it: then it is tried again. The library draws from
// rand(), which begins at the same seed in every run.
//
// Run:    libquantum N BASE
// Prints: name=value: the attempts, the order, a factor of N (1 or N where the order gives none).
// Exit:   0; 1 no attempt gave the order; 2 usage.
#include <stdio.h>
#include <stdlib.h>

#include "quantum.h"

enum { ATTEMPTS = 50 };

static unsigned long gcd(unsigned long a, unsigned long b) {
    while (b != 0) {
        const unsigned long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static unsigned long power(unsigned long base, unsigned long exponent, unsigned long modulus) {
    unsigned long result = 1;
    for (; exponent > 0; exponent /= 2) {
        result = exponent % 2 ? result * base % modulus : result;
        base = base * base % modulus;
    }
    return result;
}

// A multiple of 2^width / order, measured; 0 says nothing.
static int measured_once(int n, int base, int width) {
    const int bits = quantum_getwidth(n);
    const int scratch = 3 * bits + 2;
    quantum_reg reg = quantum_new_qureg(0, width);
    for (int i = 0; i < width; i++) {
        quantum_hadamard(i, &reg);
    }
    quantum_addscratch(scratch, &reg);
    quantum_exp_mod_n(n, base, width, bits, &reg);
    for (int i = 0; i < scratch; i++) {
        quantum_bmeasure(0, &reg);
    }
    quantum_qft(width, &reg);
    for (int i = 0; i < width / 2; i++) {
        quantum_cnot(i, width - i - 1, &reg);
        quantum_cnot(width - i - 1, i, &reg);
        quantum_cnot(i, width - i - 1, &reg);
    }
    const int measured = (int)quantum_measure(reg);
    quantum_delete_qureg(&reg);
    return measured;
}

int main(int argc, char** argv) {
    const unsigned long n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    const unsigned long base = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (n < 15 || n > 1000 || base < 2 || base >= n || gcd(n, base) != 1) {
        fputs("usage: libquantum N BASE, 15 <= N <= 1000, 2 <= BASE < N, without a common factor\n", stderr);
        return 2;
    }
    const int width = quantum_getwidth((int)(n * n));
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        int numerator = measured_once((int)n, (int)base, width);
        int order = 1 << width;
        quantum_frac_approx(&numerator, &order, width);
        if (numerator != 0 && power(base, (unsigned long)order, n) == 1) {
            const unsigned long half = order % 2 == 0 ? power(base, (unsigned long)order / 2, n) : 1;
            printf("attempts=%d order=%d factor=%lu\n", attempt, order, gcd(n, half + n - 1));
            return 0;
        }
    }
    return 1;
}
