// The Sun and its four giant planets, in double precision: a program to compare at -O2 and at -O3.
//
// A step changes the velocities by the attraction of all pairs, then moves the bodies with the new velocities
// (symplectic Euler, first order [1]). Units: astronomical unit, year, and the mass for which the constant of
// gravitation is 1, so that the Sun has 4 pi^2. A step is 0.01 years. The bodies and how they start are those
// of the n-body task of the Computer Language Benchmarks Game [2]; its published energies are the independent
// witness: -0.169075164 at the start, -0.169087605 after 1000 steps.
//
// Invariants, checked after the last step: the total momentum is zero; the energy swings and does not drift.
//
// Why this program: everybody knows it, it only computes, and it is written as most people would write it,
// with an array of structs on the stack of main. A struct has 56 bytes, and gcc moves its members in pairs of
// 16, other pairs at -O3 than at -O2; the length of the environment decides which lie across cache lines and
// pages. So -O3 gains one factor in one context and another in the next. README.md has the figures.
//
// [1] Hairer, Lubich, Wanner: Geometric Numerical Integration, chapter I. doi:10.1007/3-540-30666-8
// [2] https://benchmarksgame-team.pages.debian.net/benchmarksgame/description/nbody.html
//
// Build:  cc -std=c11 -O2 nbody.c -o nbody -lm
// Run:    nbody STEPS      prints energy=E after STEPS steps
// Exit:   0; 1 an invariant does not hold; 2 usage.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SUN 39.47841760435743 // 4 pi^2
// Velocities a day and masses relative to the Sun, as tables give them.
#define PLANET(x, y, z, vx, vy, vz, mass) {x, y, z, vx * 365.24, vy * 365.24, vz * 365.24, mass * SUN}

enum { BODIES = 5 };
struct body {
    double x, y, z, vx, vy, vz, mass;
};

static void advance(struct body* b, double dt) {
    for (int i = 0; i < BODIES; i++) {
        for (int j = i + 1; j < BODIES; j++) {
            const double dx = b[i].x - b[j].x;
            const double dy = b[i].y - b[j].y;
            const double dz = b[i].z - b[j].z;
            const double square = dx * dx + dy * dy + dz * dz;
            const double pull = dt / (square * sqrt(square));
            b[i].vx -= dx * b[j].mass * pull;
            b[i].vy -= dy * b[j].mass * pull;
            b[i].vz -= dz * b[j].mass * pull;
            b[j].vx += dx * b[i].mass * pull;
            b[j].vy += dy * b[i].mass * pull;
            b[j].vz += dz * b[i].mass * pull;
        }
    }
    for (int i = 0; i < BODIES; i++) {
        b[i].x += dt * b[i].vx;
        b[i].y += dt * b[i].vy;
        b[i].z += dt * b[i].vz;
    }
}

static double energy(const struct body* b) {
    double sum = 0;
    for (int i = 0; i < BODIES; i++) {
        sum += 0.5 * b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
        for (int j = i + 1; j < BODIES; j++) {
            const double dx = b[i].x - b[j].x;
            const double dy = b[i].y - b[j].y;
            const double dz = b[i].z - b[j].z;
            sum -= b[i].mass * b[j].mass / sqrt(dx * dx + dy * dy + dz * dz);
        }
    }
    return sum;
}

static void momentum(const struct body* b, double p[3]) {
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < BODIES; i++) {
        p[0] += b[i].mass * b[i].vx;
        p[1] += b[i].mass * b[i].vy;
        p[2] += b[i].mass * b[i].vz;
    }
}

int main(int argc, char** argv) {
    char* end = NULL;
    const long steps = argc == 2 ? strtol(argv[1], &end, 10) : -1;
    if (steps < 0 || end == argv[1] || *end != '\0') {
        fputs("usage: nbody STEPS\n", stderr);
        return 2;
    }

    struct body bodies[BODIES] = {
        {0, 0, 0, 0, 0, 0, SUN},
        // Jupiter, Saturn, Uranus, Neptune
        PLANET(4.8414314424647209, -1.16032004402742839, -0.103622044471123109, 1.66007664274403694e-3,
               7.69901118419740425e-3, -6.90460016972063023e-5, 9.54791938424326609e-4),
        PLANET(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -2.76742510726411036e-3,
               4.99852801234917238e-3, 2.30417297573763929e-5, 2.85885980666130812e-4),
        PLANET(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 2.96460137564761618e-3,
               2.3784717395948095e-3, -2.96589568540237556e-5, 4.36624404335156298e-5),
        PLANET(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 2.68067772490389322e-3,
               1.62824170038242295e-3, -9.5159225451971587e-5, 5.15138902046611451e-5),
    };
    double p[3];
    momentum(bodies, p);
    bodies[0].vx = -p[0] / SUN;
    bodies[0].vy = -p[1] / SUN;
    bodies[0].vz = -p[2] / SUN;

    const double before = energy(bodies);
    for (long step = 0; step < steps; step++) {
        advance(bodies, 0.01);
    }
    const double after = energy(bodies);
    printf("energy=%.9f\n", after);

    momentum(bodies, p);
    if (!(fabs(p[0]) + fabs(p[1]) + fabs(p[2]) < 1e-10) || !(fabs(after / before - 1) < 1e-3)) {
        fputs("nbody: momentum or energy is not conserved\n", stderr);
        return 1;
    }
    return 0;
}
