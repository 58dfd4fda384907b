#include "child_start.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

// What follows runs in the child on its own stack; the parent sleeps until execve or _exit. Sanitizers may
// not instrument it: it never returns, and its stack would stay marked.

__attribute__((no_sanitize("address"))) bool set_policy(const Launch& launch) {
    if (launch.policy < 0) {
        return true;
    }
    // Not sched_param by brace: C libraries put further members into it.
    sched_param parameter;
    parameter.sched_priority = launch.realtime_priority;
    return sched_setscheduler(0, launch.policy, &parameter) == 0;
}

__attribute__((no_sanitize("address"))) int become_program(void* argument) {
    auto& start = *static_cast<ChildStart*>(argument);
    const Launch& launch = start.launch;
    // A group of its own, so that a program which signals its group does not reach the runner. Not a session
    // of its own: with autogroups that costs 3 to 5 us.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start.runner) { // it was killed before it could be asked for
        _exit(127);
    }
    if (launch.has_nice && setpriority(PRIO_PROCESS, 0, launch.nice) != 0) {
        start.error = errno;
        start.step = Step::nice;
    } else if (!set_policy(launch)) {
        start.error = errno;
        start.step = Step::scheduling;
    } else {
        execve(launch.path, launch.argv, launch.env);
        start.error = errno;
        start.step = Step::exec;
    }
    _exit(127);
}

constexpr std::size_t child_stack_bytes = 16384;
alignas(16) char child_stack[child_stack_bytes];

} // namespace

pid_t start_program(ChildStart& start) {
    // As vfork does, but on a stack of its own, so that the compiler need not know.
    return clone(become_program, child_stack + child_stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
}

void reap_quietly(pid_t child) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace steelyard
