#include "child_start.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

/// The argument of clone3(2), as its first version with a control group has it.
struct CloneArguments {
    std::uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
        set_tid_size, cgroup;
};
static_assert(sizeof(CloneArguments) == 88);

constexpr std::uint64_t clone_into_cgroup = 0x200000000;

/// clone3 with a function for the child, which the C library keeps to itself. -errno when there is no child.
long clone_with(CloneArguments& arguments, ChildStart& start) {
#if defined(__x86_64__)
    long result = SYS_clone3;
    asm volatile("syscall\n\t"
                 "test %%rax, %%rax\n\t"
                 "jnz 1f\n\t"
                 "xor %%ebp, %%ebp\n\t"
                 "mov %[argument], %%rdi\n\t"
                 "call *%[function]\n\t"
                 "hlt\n"
                 "1:"
                 : "+a"(result)
                 : "D"(&arguments),
                   "S"(sizeof arguments), [argument] "r"(&start), [function] "r"(become_program)
                 : "rcx", "r11", "memory", "cc");
    return result;
#elif defined(__aarch64__)
    register long number asm("x8") = SYS_clone3;
    register long result asm("x0") = reinterpret_cast<long>(&arguments);
    register long size asm("x1") = sizeof arguments;
    asm volatile("svc 0\n\t"
                 "cbnz x0, 1f\n\t"
                 "mov x0, %[argument]\n\t"
                 "blr %[function]\n\t"
                 "brk 1\n"
                 "1:"
                 : "+r"(result)
                 : "r"(number), "r"(size), [argument] "r"(&start), [function] "r"(become_program)
                 : "memory", "cc");
    return result;
#else
    static_cast<void>(arguments);
    static_cast<void>(start);
    return -ENOSYS;
#endif
}

/// As start_program, in a control group. It takes the kernel as long as any other start, where to move a
/// process there later takes milliseconds. False and errno: it does not do that.
bool start_in_group(ChildStart& start, pid_t& child) {
    CloneArguments arguments{};
    arguments.flags = CLONE_VM | CLONE_VFORK | clone_into_cgroup;
    arguments.exit_signal = SIGCHLD;
    arguments.stack = reinterpret_cast<std::uint64_t>(child_stack);
    arguments.stack_size = child_stack_bytes;
    arguments.cgroup = static_cast<std::uint64_t>(start.group);
    const long result = clone_with(arguments, start);
    child = static_cast<pid_t>(std::max(result, -1L));
    errno = result < 0 ? static_cast<int>(-result) : errno;
    return child > 0;
}

} // namespace

pid_t start_program(ChildStart& start) {
    if (start.group >= 0) {
        pid_t child = -1;
        if (start_in_group(start, child)) {
            return child;
        }
        start.group = -1;
        if (has_limits(start.launch)) {
            return -1; // nowhere else would it have them
        }
    }
    // As vfork does, but on a stack of its own, so that the compiler need not know.
    return clone(become_program, child_stack + child_stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
}

void reap_quietly(pid_t child) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace steelyard
