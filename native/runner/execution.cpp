#include "execution.h"

#include "clock.h"
#include "counters.h"
#include "decimal.h"
#include "stop.h"
#include "wakeups.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// The longest that cleanup may take once a stop was asked for; the guard loses patience later than this.
constexpr std::int64_t cleanup_patience_ns = 1 * ns_per_s;

/// Shared with the child, which runs in our memory until its execve.
struct ChildStart {
    const Launch& launch;
    volatile Step step = Step::none;
    volatile int error = 0;
};

/// Runs in the child on its own stack; the parent sleeps until execve or _exit. Sanitizers may not instrument
/// it: it never returns, and its stack would stay marked.
__attribute__((no_sanitize("address"))) int become_program(void* argument) {
    auto& start = *static_cast<ChildStart*>(argument);
    const Launch& launch = start.launch;
    // A group of its own, so that a program which signals its group does not reach the runner. Not a session
    // of its own: with autogroups that costs 3 to 5 us.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (launch.has_nice && setpriority(PRIO_PROCESS, 0, launch.nice) != 0) {
        start.error = errno;
        start.step = Step::nice;
    } else {
        execve(launch.path, launch.argv, launch.env);
        start.error = errno;
        start.step = Step::exec;
    }
    _exit(127);
}

constexpr std::size_t child_stack_bytes = 16384;
alignas(16) char child_stack[child_stack_bytes];

/// Sleeps until the child has ended, without reaping it, and returns the moment. In between it is woken only
/// for the time limit, a stop, and the size of captured output.
class Wait {
  public:
    Wait(const Launch& launch, Captures& captures, bool may_be_stopped)
        : launch_(launch), captures_(captures), may_be_stopped_(may_be_stopped),
          deadline_ns_(deadline_after(monotonic_ns(), launch.timeout_ns)),
          rhythm_(monotonic_ns(),
                  launch.stdout_mode == Output::capture || launch.stderr_mode == Output::capture) {
        arm();
    }

    std::int64_t sleep_until_end(pid_t child) {
        for (;;) {
            siginfo_t info;
            const int result = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
            const std::int64_t now_ns = monotonic_ns();
            if (result == 0 || errno != EINTR)
                return now_ns;
            look(child, now_ns);
        }
    }

    bool timed_out() const { return timed_out_; }
    bool stopped() const { return stopped_; }

  private:
    void arm() {
        const std::int64_t next_ns = std::min({deadline_ns_, kill_ns_, rhythm_.next_ns()});
        if (next_ns != never_ns)
            wake_at(next_ns);
    }

    void look(pid_t child, std::int64_t now_ns) {
        if (stop_requested() && !stopped_) {
            stopped_ = true;
            if (may_be_stopped_)
                ask_to_end(child, now_ns);
            else
                deadline_ns_ = std::min(deadline_ns_, now_ns + cleanup_patience_ns);
        }
        if (now_ns >= deadline_ns_) {
            timed_out_ = true;
            deadline_ns_ = never_ns;
            ask_to_end(child, now_ns);
        }
        if (now_ns >= kill_ns_) {
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
            kill_ns_ = now_ns + WakeupConfig{}.grace_ns; // again, in case it forked into its group meanwhile
        }
        if (now_ns >= rhythm_.next_ns())
            rhythm_.looked(now_ns, trim());
        arm();
    }

    void ask_to_end(pid_t child, std::int64_t now_ns) {
        kill(-child, SIGTERM);
        kill(child, SIGTERM); // it may have left its group
        kill_ns_ = std::min(kill_ns_, now_ns + WakeupConfig{}.grace_ns);
    }

    std::uint64_t trim() {
        std::uint64_t written = 0;
        if (launch_.stdout_mode == Output::capture)
            written += captures_.out.trim(launch_.capture_limit_bytes);
        if (launch_.stderr_mode == Output::capture)
            written += captures_.err.trim(launch_.capture_limit_bytes);
        return written;
    }

    const Launch& launch_;
    Captures& captures_;
    bool may_be_stopped_;
    bool stopped_ = false;
    bool timed_out_ = false;
    std::int64_t deadline_ns_;
    std::int64_t kill_ns_ = never_ns;
    TrimRhythm rhythm_;
};

std::size_t read_small_file(const char* path, char* buffer, std::size_t size) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t got = read(fd, buffer, size);
    close(fd);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

/// Second field of schedstat: nanoseconds that the main thread waited on a run queue.
std::uint64_t read_queue_wait_ns(pid_t pid) {
    char buffer[128];
    ShortPath path;
    path.add("/proc/").add(static_cast<std::uint64_t>(pid)).add("/schedstat");
    std::string_view text(buffer, read_small_file(path.c_str(), buffer, sizeof buffer));
    std::uint64_t on_cpu_ns = 0;
    std::uint64_t waited_ns = 0;
    return take_number(text, on_cpu_ns) && take_number(text, waited_ns) ? waited_ns : no_queue_wait;
}

/// Field 39 of stat: the CPU that it last ran on. The name, field 2, may hold blanks and parentheses.
std::int32_t read_last_cpu(pid_t pid) {
    char buffer[1024];
    ShortPath path;
    path.add("/proc/").add(static_cast<std::uint64_t>(pid)).add("/stat");
    std::string_view text(buffer, read_small_file(path.c_str(), buffer, sizeof buffer));
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos)
        return -1;
    text.remove_prefix(name_end + 1);
    for (int field = 2; field < 38; ++field) { // leaves field 39 in front
        const std::size_t blank = text.find(' ', 1);
        if (blank == std::string_view::npos)
            return -1;
        text.remove_prefix(blank);
    }
    std::uint64_t cpu = 0;
    return take_number(text, cpu) ? static_cast<std::int32_t>(cpu) : -1;
}

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
    if (WIFEXITED(status))
        record.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        record.signal = WTERMSIG(status);
}

void fail(Record& record, Status status, Step step, int error) {
    record.exit_code = -1; // 127 is ours, not the program's
    record.status = status;
    record.step = step;
    record.error = error;
}

} // namespace

bool execute(const Launch& launch, Surroundings& surroundings, Captures& captures, ExecutionOptions options,
             Record& record, CounterValue* counters) {
    record.argv_bytes = launch.argv_bytes;
    record.env_bytes = launch.env_bytes;
    record.rss_floor_bytes = own_peak_bytes();
    record.start_ns = realtime_ns();
    if (const SetupFailure failure = surroundings.apply(launch, captures); failure.step != Step::none) {
        fail(record, Status::setup_failed, failure.step, failure.error);
        return !(options.may_be_stopped && stop_requested());
    }
    const Counters events(launch);
    ChildStart start{launch};
    Wait wait(launch, captures, options.may_be_stopped);
    if (options.may_be_stopped && stop_requested()) {
        wake_never();
        return false;
    }

    record.start_ns = realtime_ns();
    const std::int64_t start_ns = monotonic_ns();
    const pid_t child =
        clone(become_program, child_stack + child_stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
    const int clone_error = errno;
    std::int64_t end_ns = start_ns;
    if (child > 0)
        end_ns = wait.sleep_until_end(child);

    wake_never();
    if (child < 0) {
        fail(record, Status::spawn_failed, Step::clone, clone_error);
        return true;
    }
    record.wall_ns = static_cast<std::uint64_t>(end_ns - start_ns);
    events.read(counters);
    record.queue_wait_ns = read_queue_wait_ns(child);
    record.cpu = read_last_cpu(child);
    reap(child, record);
    if (start.step == Step::exec)
        fail(record, Status::spawn_failed, start.step, start.error);
    else if (start.step != Step::none)
        fail(record, Status::setup_failed, start.step, start.error);
    else if (wait.timed_out())
        record.status = Status::timed_out;
    return !(options.may_be_stopped && wait.stopped());
}

} // namespace steelyard
