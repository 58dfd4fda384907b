#include "child_wait.hpp"

#include "clock.hpp"
#include "digest.hpp"
#include "process_tree.hpp"
#include "stop.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

bool captures_any(const Launch& launch) {
    return launch.stdout_mode == Output::capture || launch.stderr_mode == Output::capture;
}

} // namespace

ChildWait::ChildWait(const Launch& launch, Captures& captures, const TrialGroup& group,
                     std::int64_t stop_patience_ns, std::int64_t now_ns)
    : launch_(launch), captures_(captures), group_(group), stop_patience_ns_(stop_patience_ns),
      deadline_ns_(deadline_after(now_ns, launch.timeout_ns)), rhythm_(now_ns, captures_any(launch)) {
    if (stop_patience_ns != 0 && stop_requested()) {
        deadline_ns_ = std::min(deadline_ns_, now_ns + stop_patience_ns);
    }
    if (launch.cpu_limit_ns != 0 && group.fd() >= 0) {
        limit_ns_ = earliest_excess_ns(now_ns);
    }
    arm();
}

std::int64_t ChildWait::sleep_until_end(pid_t child) {
    for (;;) {
        siginfo_t info;
        const int result = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
        const std::int64_t now_ns = monotonic_ns();
        if (result == 0 || errno != EINTR) {
            return now_ns;
        }
        look(child, now_ns);
    }
}

void ChildWait::arm() const {
    const std::int64_t due_ns = std::min({deadline_ns_, kill_ns_, limit_ns_});
    const std::int64_t latest_ns = std::min(due_ns, rhythm_.latest_ns());
    if (latest_ns != never_ns) {
        wake_between(std::min(due_ns, rhythm_.next_ns()), latest_ns);
    } else {
        wake_never();
    }
}

void ChildWait::look(pid_t child, std::int64_t now_ns) {
    if (stop_requested() && !stopped_) {
        heed_stop(child, now_ns);
    }
    if (now_ns >= deadline_ns_) {
        timed_out_ = true;
        deadline_ns_ = never_ns;
        found_stopped_ = is_any_stopped(child);
        ask_to_end(child, now_ns);
    }
    if (now_ns >= limit_ns_) {
        look_at_limit(child, now_ns);
    }
    if (now_ns >= kill_ns_) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
        kill_ns_ = now_ns + WakeupConfig{}.grace_ns; // again, in case it forked into its group meanwhile
    }
    if (now_ns >= rhythm_.next_ns()) {
        rhythm_.looked(now_ns, trim());
    }
    arm();
}

void ChildWait::look_at_limit(pid_t child, std::int64_t now_ns) {
    if (group_.find_exceeded(launch_) == Step::none) {
        limit_ns_ = earliest_excess_ns(now_ns);
    } else { // or the kernel no longer counts
        limit_ns_ = never_ns;
        ask_to_end(child, now_ns);
    }
}

/// When the limit is reached if all CPUs work for the program from now on: so the observer wakes a few times,
/// however long the program takes.
std::int64_t ChildWait::earliest_excess_ns(std::int64_t now_ns) const {
    std::uint64_t used_us = 0;
    const std::uint64_t limit_us = launch_.cpu_limit_ns / 1000;
    group_.read_cpu_us(used_us);
    const std::int64_t rest_ns =
        used_us < limit_us ? static_cast<std::int64_t>(limit_us - used_us) * 1000 : 0;
    // Not static: its guard would bring 60 KB of the C++ library with it.
    const long cpus = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
    return now_ns + std::max(rest_ns / cpus, WakeupConfig{}.limit_ns);
}

void ChildWait::heed_stop(pid_t child, std::int64_t now_ns) {
    stopped_ = true;
    if (stop_patience_ns_ == 0) {
        ask_to_end(child, now_ns);
    } else {
        deadline_ns_ = std::min(deadline_ns_, now_ns + stop_patience_ns_);
    }
}

void ChildWait::ask_to_end(pid_t child, std::int64_t now_ns) {
    ask_strays_to_end(child);
    kill(-child, SIGTERM);
    kill(child, SIGTERM); // it may have left its group
    kill_ns_ = std::min(kill_ns_, now_ns + WakeupConfig{}.grace_ns);
}

std::uint64_t ChildWait::trim() {
    const std::uint64_t limit = launch_.wants_digests
                                    ? std::max(launch_.capture_limit_bytes, digest_limit_bytes)
                                    : launch_.capture_limit_bytes;
    std::uint64_t written = 0;
    if (launch_.stdout_mode == Output::capture) {
        written += captures_.out.trim(limit);
    }
    if (launch_.stderr_mode == Output::capture) {
        written += captures_.err.trim(limit);
    }
    return written;
}

} // namespace steelyard
