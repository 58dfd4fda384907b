#include "execution.hpp"

#include "child_start.hpp"
#include "child_wait.hpp"
#include "clock.hpp"
#include "counters.hpp"
#include "process_facts.hpp"
#include "stop.hpp"

#include <cerrno>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// To ask /proc takes 12 us, and what the kernel makes for it and throws away makes the next start 2 us
/// slower: too much beside a run that is shorter than this.
constexpr std::int64_t worth_asking_ns = 500'000;

std::uint64_t microseconds(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

std::uint64_t own_peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void reap(pid_t child, Record& record) {
    int status = 0;
    rusage usage{};
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    record.user_us = microseconds(usage.ru_utime);
    record.sys_us = microseconds(usage.ru_stime);
    record.rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    record.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
    record.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
    record.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
    record.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
    if (WIFEXITED(status)) {
        record.exit_code = WEXITSTATUS(status);
    }
    if (WIFSIGNALED(status)) {
        record.signal = WTERMSIG(status);
    }
}

void fail(Record& record, Status status, Step step, int error) {
    record.status = status;
    record.step = step;
    record.error = error;
}

} // namespace

bool execute(const Launch& launch, Surroundings& surroundings, Captures& captures, Purpose purpose,
             TrialGroup& group, Record& record, CounterValue* counters) {
    const bool may_be_stopped = stop_patience_ns(purpose) == 0;
    record.argv_bytes = launch.argv_bytes;
    record.env_bytes = launch.env_bytes;
    record.rss_floor_bytes = own_peak_bytes();
    if (const SetupFailure failure = surroundings.apply(launch, captures); failure.step != Step::none) {
        record.start_ns = realtime_ns();
        fail(record, Status::setup_failed, failure.step, failure.error);
        return !(may_be_stopped && stop_requested());
    }
    if (has_limits(launch) && group.error() != 0) {
        record.start_ns = realtime_ns();
        fail(record, Status::setup_failed, Step::group, group.error());
        return !(may_be_stopped && stop_requested());
    }
    const Counters events(launch);
    ChildStart start{launch, getpid(), group.fd()};
    ChildWait wait(launch, captures, group, stop_patience_ns(purpose), monotonic_ns());
    if (may_be_stopped && stop_requested()) {
        return false;
    }

    record.start_ns = realtime_ns();
    const std::int64_t start_ns = monotonic_ns();
    const pid_t child = start_program(start);
    const int clone_error = errno;
    const std::int64_t end_ns = child > 0 ? wait.sleep_until_end(child) : start_ns;

    if (start.group < 0) {
        group.remove();
    }
    if (child < 0) {
        fail(record, Status::spawn_failed, Step::clone, clone_error);
        return true;
    }
    if (start.step != Step::none) {
        reap_quietly(child);
        fail(record, start.step == Step::exec ? Status::spawn_failed : Status::setup_failed, start.step,
             start.error);
        return true;
    }
    record.wall_ns = static_cast<std::uint64_t>(end_ns - start_ns);
    if (purpose == Purpose::trial) {
        events.read(counters, group);
        if (launch.wants_queue_wait || end_ns - start_ns >= worth_asking_ns) {
            record.queue_wait_ns = read_queue_wait_ns(child);
            record.cpu = read_last_cpu(child);
        }
    }
    reap(child, record);
    if (wait.timed_out()) {
        record.status = Status::timed_out;
        record.step = wait.found_stopped() ? Step::stopped : Step::none;
    } else if (has_limits(launch)) {
        record.step = group.find_exceeded(launch);
    }
    return !(may_be_stopped && wait.stopped());
}

} // namespace steelyard
