// Probes that are compiled into a program, to see what observing it costs.
//
//     #include <steelyard_probe.h>
//     int main(void) {
//         steelyard_probe_begin();      // sets up STEELYARD_PROBES counters, one system call each
//         ... STEELYARD_COUNT(); ...    // adds 1 to a software counter, at STEELYARD_SITES percent of sites
//         steelyard_probe_end();        // reads them all, and reports
//     }
//
// -DSTEELYARD_PROBES=N (0 to 8; 0, the default, leaves no code): cycles, instructions, cache references and
// misses, branches, branch misses, and stalled cycles of front and back end, of this process in user mode,
// counted by the kernel (perf_event_open(2)). With -DSTEELYARD_PROBE_SOFTWARE its software events instead,
// which every machine has. -DSTEELYARD_PROBE_CALLS=0: the same program with the same code, which never makes
// these calls; what it differs by from a program without probes is where its code lies, and what the other
// one differs by from it is what the calls cost.
//
// -DSTEELYARD_SITES=P (0 to 100): which sites count is drawn from their order in the file, the same ones for
// every build; a larger share holds all of a smaller one. -DSTEELYARD_SITES_SEED=N (0 to 39) draws others. A
// site that does not count leaves no code.
//
// What was counted goes by the line protocol to the file that $STEELYARD_METRICS names, as probe_cycles and
// so on, and the sum over all sites as probe_sites; nowhere else. A counter that this machine lacks ends the
// program with exit code 4. One source file of a program includes this; a site is a load, an addition and a
// store of a variable of its own.
#ifndef STEELYARD_PROBE_H
#define STEELYARD_PROBE_H

#ifndef STEELYARD_PROBES
#define STEELYARD_PROBES 0
#endif
#ifndef STEELYARD_SITES
#define STEELYARD_SITES 0
#endif
#ifndef STEELYARD_PROBE_CALLS
#define STEELYARD_PROBE_CALLS 1
#endif
#ifndef STEELYARD_SITES_SEED
#define STEELYARD_SITES_SEED 0
#endif

#if STEELYARD_PROBES < 0 || STEELYARD_PROBES > 8
#error "STEELYARD_PROBES is 0 to 8"
#endif
#if STEELYARD_SITES < 0 || STEELYARD_SITES > 100
#error "STEELYARD_SITES is a share in percent, 0 to 100"
#endif
#if STEELYARD_PROBE_CALLS != 0 && STEELYARD_PROBE_CALLS != 1
#error "STEELYARD_PROBE_CALLS is 0 or 1"
#endif
#if STEELYARD_SITES_SEED < 0 || STEELYARD_SITES_SEED > 39
#error "STEELYARD_SITES_SEED is 0 to 39"
#endif

#if STEELYARD_SITES > 0
#define STEELYARD_MOST_SITES 256
static volatile unsigned long long steelyard_site_counts[STEELYARD_MOST_SITES];
// Permutations of 0 ... 99 by the site's number: a step that is prime to 100, one for each seed, and a shift.
#define STEELYARD_DIGIT ((STEELYARD_SITES_SEED / 10 + 2) % 4)
#define STEELYARD_STEP                                                                                       \
    ((STEELYARD_SITES_SEED + 3) % 10 * 10 + (STEELYARD_DIGIT == 0   ? 1                                      \
                                             : STEELYARD_DIGIT == 1 ? 3                                      \
                                             : STEELYARD_DIGIT == 2 ? 7                                      \
                                                                    : 9))
#define STEELYARD_SHIFT (STEELYARD_SITES_SEED * 61)
#define STEELYARD_COUNT_AT(site)                                                                             \
    do {                                                                                                     \
        if (((site) * STEELYARD_STEP + STEELYARD_SHIFT) % 100 < STEELYARD_SITES)                             \
            steelyard_site_counts[(site) % STEELYARD_MOST_SITES]++;                                          \
    } while (0)
#define STEELYARD_COUNT() STEELYARD_COUNT_AT(__COUNTER__)
#else
#define STEELYARD_COUNT() ((void)0)
#endif

#if STEELYARD_PROBES > 0 || STEELYARD_SITES > 0
#include <stdio.h>
#include <stdlib.h>

static void steelyard_report(const char* metric, unsigned long long value) {
    const char* path = getenv("STEELYARD_METRICS");
    FILE* file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL) {
        return;
    }
    fprintf(file, "{\"steelyard\":1,\"metric\":\"probe_%s\",\"values\":[%llu]}\n", metric, value);
    fclose(file);
}

static void steelyard_report_sites(void) {
#if STEELYARD_SITES > 0
    unsigned long long sum = 0;
    for (int i = 0; i < STEELYARD_MOST_SITES; i++) {
        sum += steelyard_site_counts[i];
    }
    steelyard_report("sites", sum);
#endif
}
#endif

#if STEELYARD_PROBES > 0
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef STEELYARD_PROBE_SOFTWARE
enum { STEELYARD_EVENT_TYPE = PERF_TYPE_SOFTWARE };
static const char* const steelyard_event_names[8] = {"cpu_clock",        "task_clock",      "page_faults",
                                                     "context_switches", "cpu_migrations",  "minor_faults",
                                                     "major_faults",     "alignment_faults"};
static const unsigned long long steelyard_events[8] = {0, 1, 2, 3, 4, 5, 6, 7};
#else
enum { STEELYARD_EVENT_TYPE = PERF_TYPE_HARDWARE };
static const char* const steelyard_event_names[8] = {
    "cycles",   "instructions",  "cache_references",        "cache_misses",
    "branches", "branch_misses", "stalled_cycles_frontend", "stalled_cycles_backend"};
static const unsigned long long steelyard_events[8] = {0, 1, 2, 3, 4, 5, 7, 8};
#endif

static int steelyard_counters[STEELYARD_PROBES];
// What never changes and no compiler knows, and not 0, which would lie elsewhere: both programs are one but
// for this word.
enum { STEELYARD_NEVER_CALLS = 1, STEELYARD_CALLS };
static volatile int steelyard_calling = STEELYARD_PROBE_CALLS ? STEELYARD_CALLS : STEELYARD_NEVER_CALLS;

static void steelyard_probe_begin(void) {
    if (steelyard_calling == STEELYARD_NEVER_CALLS) {
        return;
    }
    for (int i = 0; i < STEELYARD_PROBES; i++) {
        struct perf_event_attr wanted;
        memset(&wanted, 0, sizeof wanted);
        wanted.size = sizeof wanted;
        wanted.type = STEELYARD_EVENT_TYPE;
        wanted.config = steelyard_events[i];
        wanted.exclude_kernel = 1;
        wanted.exclude_hv = 1;
        steelyard_counters[i] = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0UL);
        if (steelyard_counters[i] < 0) {
            fprintf(stderr, "steelyard_probe: the counter %s is not available: %s\n",
                    steelyard_event_names[i], strerror(errno));
            exit(4);
        }
    }
}

static void steelyard_probe_end(void) {
    unsigned long long counts[STEELYARD_PROBES];
    if (steelyard_calling == STEELYARD_NEVER_CALLS) {
        steelyard_report_sites();
        return;
    }
    for (int i = 0; i < STEELYARD_PROBES; i++) {
        if (read(steelyard_counters[i], &counts[i], sizeof counts[i]) != (ssize_t)sizeof counts[i]) {
            counts[i] = 0;
        }
    }
    for (int i = 0; i < STEELYARD_PROBES; i++) {
        close(steelyard_counters[i]);
        steelyard_report(steelyard_event_names[i], counts[i]);
    }
    steelyard_report_sites();
}
#elif STEELYARD_SITES > 0
#define steelyard_probe_begin() ((void)0)
#define steelyard_probe_end() steelyard_report_sites()
#else
#define steelyard_probe_begin() ((void)0)
#define steelyard_probe_end() ((void)0)
#endif

#endif
