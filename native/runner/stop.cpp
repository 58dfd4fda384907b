#include "stop.hpp"

#include "wakeups.hpp"

#include <algorithm>
#include <csignal>
#include <sys/time.h>

namespace steelyard {

namespace {

volatile std::sig_atomic_t stop_flag = 0;

/// When the first alarm is due; `never_ns`: none is set, or not by `wake_between`.
volatile std::int64_t alarm_ns = never_ns;

void set_timer(std::int64_t first_us, std::int64_t then_us) {
    itimerval timer{};
    timer.it_value.tv_sec = first_us / 1'000'000;
    timer.it_value.tv_usec = first_us % 1'000'000;
    timer.it_interval.tv_usec = then_us;
    setitimer(ITIMER_REAL, &timer, nullptr);
}

void on_stop(int /*signal*/) {
    stop_flag = 1;
    // The signal may have come just before a blocking call: the timer interrupts that call too.
    set_timer(1'000, 10'000);
    alarm_ns = never_ns;
}

void on_wake(int /*signal*/) {}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler; // no SA_RESTART: the point is to interrupt
    sigaction(signal, &action, nullptr);
}

} // namespace

void install_signal_handlers() {
    for (int signal = 1; signal < NSIG; ++signal) {
        if (signal != SIGKILL && signal != SIGSTOP) {
            handle(signal, SIG_DFL); // those the C library keeps for itself refuse, and stay as they are
        }
    }
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        handle(signal, on_stop);
    }
    handle(SIGALRM, on_wake);
    handle(SIGPIPE, on_wake); // write() then says EPIPE
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool stop_requested() {
    return stop_flag != 0;
}

void wake_between(std::int64_t earliest_ns, std::int64_t latest_ns) {
    if (earliest_ns <= alarm_ns && alarm_ns <= latest_ns) {
        return;
    }
    alarm_ns = latest_ns;
    const std::int64_t wait_us = (latest_ns - monotonic_ns()) / 1'000;
    set_timer(std::max<std::int64_t>(wait_us, 1), 10'000);
}

void wake_never() {
    if (alarm_ns == never_ns) {
        return;
    }
    alarm_ns = never_ns;
    set_timer(0, 0);
}

} // namespace steelyard
