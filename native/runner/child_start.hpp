// Becoming another program: the only code that runs in the child, in our memory and with the clock running.
#pragma once

#include <sys/types.h>

#include "launch.hpp"
#include "record.hpp"

namespace steelyard {

/// Shared with the child, which runs in our memory until its execve.
struct ChildStart {
    const Launch& launch;
    pid_t runner;
    int group; ///< directory of a control group to start in; -1: none, or the kernel does not do that
    volatile Step step = Step::none; ///< what failed
    volatile int error = 0;
};

/// Starts the launch's program as a child and returns when it has become that program, or has failed to: then
/// `start` says why, and the child has ended. -1 and errno when there is no child.
pid_t start_program(ChildStart& start);

/// Reaps a child that has ended or is about to.
void reap_quietly(pid_t child);

} // namespace steelyard
