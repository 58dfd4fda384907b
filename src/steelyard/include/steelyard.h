// A program's own measurements for Steelyard, in C99 and C++11: one header, no library.
//
//     #include <steelyard.h>
//
//     const double latency_s[] = {1.2e-6, 1.3e-6};
//     steelyard_report("latency_s", "s", latency_s, 2);
//
//     struct steelyard_loop loop = steelyard_loop_of("sort_s");
//     while (steelyard_next(&loop)) {
//         sort(numbers);
//         STEELYARD_KEEP(numbers[0]);
//     }
//
// and, in C++, steelyard::measure("sort_s", [&] { sort(numbers); });
//
// Lines go to the file that $STEELYARD_METRICS names, each by one write, so that several processes may
// append; to standard output where the variable is not set. In a spec: sort_s = { source = "lines",
// unit = "s" }. docs/protocol.md has the format.
#ifndef STEELYARD_H
#define STEELYARD_H

#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L // with -std=c99, include this header first
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Makes the compiler believe that a value is used and that memory has changed, at no cost.
#define STEELYARD_KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

// What tells values of one metric apart: a name with a text, or with a number where text is NULL.
struct steelyard_label {
    const char* name;
    const char* text;
    double number;
};

// A line under construction. It grows by itself; failed once, it stays so.
struct steelyard_text {
    char* begin;
    size_t length;
    size_t room;
    int failed;
};

static inline void steelyard_append(struct steelyard_text* text, const char* added, size_t length) {
    if (text->length + length > text->room && !text->failed) {
        const size_t room = 2 * (text->length + length) + 256;
        char* const grown = (char*)realloc(text->begin, room);
        text->failed = grown == NULL;
        if (grown != NULL) {
            text->begin = grown;
            text->room = room;
        }
    }
    if (!text->failed) {
        memcpy(text->begin + text->length, added, length);
        text->length += length;
    }
}

static inline void steelyard_append_text(struct steelyard_text* text, const char* added) {
    steelyard_append(text, added, strlen(added));
}

// A JSON string: quotes, backslashes and control characters escaped, UTF-8 as it is.
static inline void steelyard_append_quoted(struct steelyard_text* text, const char* added) {
    steelyard_append_text(text, "\"");
    for (; *added != '\0'; added++) {
        char escaped[8];
        if (*added == '"' || *added == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", *added);
        } else if ((unsigned char)*added < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*added);
        } else {
            snprintf(escaped, sizeof escaped, "%c", *added);
        }
        steelyard_append_text(text, escaped);
    }
    steelyard_append_text(text, "\"");
}

// A JSON number, which has no infinities: such a value makes the line unreadable, and the trial fail.
static inline void steelyard_append_number(struct steelyard_text* text, double number) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.17g", number);
    for (char* digit = digits; *digit != '\0'; digit++) {
        if (*digit == ',') { // the decimal sign of other locales
            *digit = '.';
        }
    }
    steelyard_append_text(text, digits);
}

static inline int steelyard_write_all(int to, const char* bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(to, bytes, length);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

// Appends the line to $STEELYARD_METRICS, or to standard output after what was printed before.
static inline int steelyard_send(const struct steelyard_text* line) {
    const char* const path = getenv("STEELYARD_METRICS");
    if (path == NULL) {
        fflush(stdout);
        return steelyard_write_all(STDOUT_FILENO, line->begin, line->length);
    }
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return -1;
    }
    const int result = steelyard_write_all(file, line->begin, line->length);
    return close(file) != 0 ? -1 : result;
}

// Reports values under labels. 0; or -1 with errno where the line could not be written.
static inline int steelyard_report_labelled(const char* metric, const char* unit,
                                            const struct steelyard_label* labels, size_t label_count,
                                            const double* values, size_t count) {
    struct steelyard_text line = {NULL, 0, 0, 0};
    steelyard_append_text(&line, "{\"steelyard\":1,\"metric\":");
    steelyard_append_quoted(&line, metric);
    steelyard_append_text(&line, ",\"unit\":");
    steelyard_append_quoted(&line, unit);
    for (size_t i = 0; i < label_count; i++) {
        steelyard_append_text(&line, i == 0 ? ",\"labels\":{" : ",");
        steelyard_append_quoted(&line, labels[i].name);
        steelyard_append_text(&line, ":");
        if (labels[i].text != NULL) {
            steelyard_append_quoted(&line, labels[i].text);
        } else {
            steelyard_append_number(&line, labels[i].number);
        }
    }
    steelyard_append_text(&line, label_count > 0 ? "},\"values\":[" : ",\"values\":[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            steelyard_append_text(&line, ",");
        }
        steelyard_append_number(&line, values[i]);
    }
    steelyard_append_text(&line, "]}\n");
    const int result = line.failed ? -1 : steelyard_send(&line);
    free(line.begin);
    return result;
}

// Reports values of the whole program. 0; or -1 with errno where the line could not be written.
static inline int steelyard_report(const char* metric, const char* unit, const double* values, size_t count) {
    return steelyard_report_labelled(metric, unit, NULL, 0, values, count);
}

// Reports one value; as steelyard_report.
static inline int steelyard_report_one(const char* metric, const char* unit, double value) {
    return steelyard_report(metric, unit, &value, 1);
}

// Seconds on a clock that nobody sets.
static inline double steelyard_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { STEELYARD_MOST_VALUES = 1000, STEELYARD_WINDOW = 5 };

// A loop that finds how many iterations take least_s, goes on until they no longer get faster, and then takes
// values of so many iterations each: the mean time of one. Reported when it ends, as iterations of the trial.
struct steelyard_loop {
    const char* metric;
    const struct steelyard_label* labels;
    size_t label_count;
    double least_s;       // of one value
    int values_wanted;    // at most STEELYARD_MOST_VALUES
    double most_warmup_s; // after which it is over, settled or not
    // What follows is the loop's own.
    unsigned long long iterations_left, iterations;
    double start_s, warmup_s, before_s;
    int begun, calibrated, settled, count;
    double values[STEELYARD_MOST_VALUES];
};

static inline struct steelyard_loop steelyard_loop_of(const char* metric) {
    struct steelyard_loop loop;
    memset(&loop, 0, sizeof loop);
    loop.metric = metric;
    loop.least_s = 1e-3;
    loop.values_wanted = 30;
    loop.most_warmup_s = 1.0;
    return loop;
}

static inline int steelyard_ascending(const void* first, const void* second) {
    const double a = *(const double*)first, b = *(const double*)second;
    return (a > b) - (a < b);
}

// Whether the newest window of values is no more than 1 % faster than the one before.
static inline int steelyard_has_settled(struct steelyard_loop* loop) {
    qsort(loop->values, STEELYARD_WINDOW, sizeof loop->values[0], steelyard_ascending);
    const double now_s = loop->values[STEELYARD_WINDOW / 2];
    const int settled = loop->before_s > 0 && now_s > 0.99 * loop->before_s;
    loop->before_s = now_s;
    return settled;
}

// Takes the time of the iterations that ended. 0 when there is nothing more to measure.
static inline int steelyard_turn(struct steelyard_loop* loop) {
    const double took_s = steelyard_now_s() - loop->start_s;
    if (!loop->begun) {
        loop->begun = 1;
        loop->iterations = 1;
    } else if (!loop->calibrated) {
        loop->warmup_s += took_s;
        loop->calibrated = took_s >= loop->least_s;
        loop->iterations *= loop->calibrated ? 1 : 2;
    } else {
        loop->values[loop->count++] = took_s / (double)loop->iterations;
        if (!loop->settled) {
            loop->warmup_s += took_s;
            if (loop->count == STEELYARD_WINDOW) {
                loop->settled = steelyard_has_settled(loop) || loop->warmup_s > loop->most_warmup_s;
                loop->count = 0;
            }
        } else if (loop->count >= loop->values_wanted || loop->count == STEELYARD_MOST_VALUES) {
            steelyard_report_labelled(loop->metric, "s", loop->labels, loop->label_count, loop->values,
                                      (size_t)loop->count);
            return 0;
        }
    }
    loop->iterations_left = loop->iterations - 1;
    loop->start_s = steelyard_now_s();
    return 1;
}

// Whether to go round once more; between two turns a decrement and a branch.
static inline int steelyard_next(struct steelyard_loop* loop) {
    if (loop->iterations_left > 0) {
        loop->iterations_left--;
        return 1;
    }
    return steelyard_turn(loop);
}

#ifdef __cplusplus
namespace steelyard {

// As STEELYARD_KEEP, for values of any type.
template <typename T>
inline void do_not_optimize(const T& value) {
    __asm__ volatile("" : : "m"(value) : "memory");
}

// Times a function by a steelyard_loop and reports the metric; values that it returns are kept alive.
template <typename Function>
void measure(const char* metric, Function&& function) {
    steelyard_loop loop = steelyard_loop_of(metric);
    while (steelyard_next(&loop) != 0) {
        function();
    }
}

} // namespace steelyard
#endif

#endif
