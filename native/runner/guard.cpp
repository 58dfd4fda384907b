#include "guard.hpp"

#include "clock.hpp"
#include "execution.hpp"
#include "host_settings.hpp"
#include "process_tree.hpp"
#include "server.hpp"
#include "stop.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// A runner that was asked to stop needs a fifth of a second for a program that ignores SIGTERM and one
/// second for cleanup. After this it is stuck.
constexpr std::int64_t patience_ns = 3 * ns_per_s;

void on_child(int /*signal*/) {}

/// Ends with the runner's exit code.
[[noreturn]] void become_runner(const char* journal_path, const char* undo_path, volatile bool* leaving,
                                pid_t guard) {
    prctl(PR_SET_NAME, "steelyard-run");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != guard) { // it died before it could be watched
        _exit(ExitCode::stopped);
    }
    _exit(serve(journal_path, undo_path, leaving));
}

/// Waits for the runner's end and returns its wait status. Asks it to stop when Python closes its end of the
/// orders, when Python dies (a process that Python forked may hold that end open), or on a signal.
int wait_for_runner(pid_t runner, const volatile bool* leaving) {
    const int python =
        static_cast<int>(syscall(SYS_pidfd_open, getppid(), 0)); // < 0 on old kernels: poll ignores it
    pollfd watched[] = {{.fd = 0, .events = 0, .revents = 0}, {.fd = python, .events = POLLIN, .revents = 0}};
    // Signals come only inside ppoll, so that none is lost between a check and the sleep.
    sigset_t blocked;
    sigset_t none;
    sigemptyset(&none);
    sigfillset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);

    std::int64_t kill_ns = 0;
    for (;;) {
        int status = 0;
        if (waitpid(runner, &status, WNOHANG) == runner) {
            return status;
        }
        timespec patience{patience_ns / ns_per_s, 0};
        const int events = ppoll(watched, 2, kill_ns == 0 ? nullptr : &patience, &none);
        const bool stop_is_asked = stop_requested() || events > 0;
        if (stop_is_asked && kill_ns == 0) {
            kill(runner, SIGTERM);
            kill_ns = monotonic_ns() + patience_ns;
            watched[0].fd = watched[1].fd = -1;
        } else if (kill_ns != 0 &&
                   monotonic_ns() >= kill_ns + (*leaving ? stop_patience_ns(Purpose::leave) : 0)) {
            kill(runner, SIGKILL);
        }
    }
}

} // namespace

int stand_guard(const char* journal_path, const char* undo_path) {
    prctl(PR_SET_NAME, "steelyard-guard");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    install_signal_handlers();
    struct sigaction action{};
    action.sa_handler = on_child;
    sigaction(SIGCHLD, &action, nullptr); // the default, to ignore it, would not interrupt ppoll

    // What the runner tells the guard without a word that could wake it: that it leaves levels, which takes
    // long.
    void* const shared =
        mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return ExitCode::cannot_start;
    }
    auto* const leaving = static_cast<volatile bool*>(shared);

    const pid_t guard = getpid();
    const pid_t runner = fork();
    if (runner < 0) {
        return ExitCode::cannot_start;
    }
    if (runner == 0) {
        install_signal_handlers();
        become_runner(journal_path, undo_path, leaving, guard);
    }
    const int status = wait_for_runner(runner, leaving);
    KeptProcesses none;
    end_descendants(none);
    undo_leftovers(undo_path); // after its own death the lock is free
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace steelyard
