// Finding and ending the processes under this one. It is a subreaper, so that whatever loses its parent,
// sessions of their own included, becomes its child and cannot escape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace steelyard {

/// Direct children that are meant to live on: what a hook started in the background.
class KeptProcesses {
  public:
    [[nodiscard]] bool contains(pid_t pid) const;
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// Keeps all present children, as many as there is room for. Those kept for a trial go with
    /// `drop_of_trial`.
    void keep_children(bool for_trial);
    void forget(pid_t pid);
    void drop_of_trial();

  private:
    struct Entry {
        pid_t pid;
        bool for_trial;
    };
    static constexpr std::size_t capacity = 256;
    Entry entries_[capacity] = {};
    std::size_t count_ = 0;
};

struct Ended {
    std::uint32_t processes = 0; ///< that were running still and had to be ended
    bool complete = true;        ///< false: some did not end within five seconds, or may not be signalled
};

/// Whether the kernel lists children in /proc, without which nothing here can work.
bool can_list_children();

/// Reaps children that have ended; true when any is left running that is not kept. One system call when there
/// is nothing left at all.
bool reap_and_look(KeptProcesses& processes);

/// Whether a child, or a descendant of it, is stopped by a signal (or by a tracer) and continues when it gets
/// another one.
bool is_any_stopped(pid_t child);

/// Sends SIGTERM to every descendant of a child that has left its group, deepest first: a launcher that is
/// asked to end kills its ranks before they can say where they were.
void ask_strays_to_end(pid_t child);

/// Ends every descendant that is not kept or below a kept one, with SIGKILL, and reaps it: walks
/// /proc/PID/task/*/children from here and repeats until nothing is left, since a process may fork while the
/// walk passes.
Ended end_descendants(KeptProcesses& processes);

} // namespace steelyard
