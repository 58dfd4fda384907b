#include "process_tree.hpp"

#include "clock.hpp"
#include "decimal.hpp"
#include "process_facts.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// Pids seen in one walk, also the queue of those whose children are still to be listed. What does not fit is
/// found by the next walk.
struct Walk {
    static constexpr std::size_t capacity = 4096;
    pid_t pids[capacity];
    std::size_t count = 0;

    void add(pid_t pid) {
        if (count < capacity) {
            pids[count++] = pid;
        }
    }
};
Walk walk; // static: 16 KB that are touched only when there is something to end

/// Calls `found` with each number in a "children" file. False when it cannot be opened.
template <typename Found>
bool list_children(const char* path, Found visit) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    char buffer[1024];
    std::size_t held = 0;
    for (;;) {
        const ssize_t got = read(fd, buffer + held, sizeof buffer - held);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        held += static_cast<std::size_t>(got);
        std::string_view text(buffer, held);
        const std::size_t end = text.rfind(' ');
        if (end == std::string_view::npos) {
            continue;
        }
        text = text.substr(0, end);
        std::uint64_t pid = 0;
        while (take_number(text, pid)) {
            visit(static_cast<pid_t>(pid));
        }
        held -= end + 1;
        std::memmove(buffer, buffer + end + 1, held);
    }
    close(fd);
    return true;
}

/// Calls `found` with each thread of a process, as the name of its directory.
template <typename Found>
void list_threads(pid_t pid, Found visit) {
    struct Entry { // linux_dirent64, which no header declares
        std::uint64_t inode;
        std::int64_t offset;
        std::uint16_t length;
        std::uint8_t type;
        char name[1];
    };
    const int fd = open(ShortPath().add("/proc/").add(static_cast<std::uint64_t>(pid)).add("/task").c_str(),
                        O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    alignas(Entry) char buffer[1024];
    long got = 0;
    while ((got = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < got;) {
            const auto* const entry = reinterpret_cast<const Entry*>(buffer + at);
            if (entry->name[0] != '.') {
                visit(static_cast<const char*>(entry->name));
            }
            at += entry->length;
        }
    }
    close(fd);
}

void add_children_of(pid_t pid, const KeptProcesses& processes) {
    list_threads(pid, [&](const char* thread) {
        ShortPath path;
        path.add("/proc/").add(static_cast<std::uint64_t>(pid)).add("/task/").add(thread).add("/children");
        list_children(path.c_str(), [&](pid_t child) {
            if (!processes.contains(child)) {
                walk.add(child);
            }
        });
    });
}

void list_descendants(pid_t ancestor, const KeptProcesses& processes) {
    walk.count = 0;
    add_children_of(ancestor, processes);
    for (std::size_t next = 0; next < walk.count; ++next) {
        add_children_of(walk.pids[next], processes);
    }
}

} // namespace

bool KeptProcesses::contains(pid_t pid) const {
    return std::any_of(entries_, entries_ + count_, [pid](const Entry& entry) { return entry.pid == pid; });
}

void KeptProcesses::keep_children(bool for_trial) {
    ShortPath path;
    path.add("/proc/self/task/").add(static_cast<std::uint64_t>(getpid())).add("/children");
    list_children(path.c_str(), [&](pid_t child) {
        if (!contains(child) && count_ < capacity) {
            entries_[count_++] = {child, for_trial};
        }
    });
}

void KeptProcesses::forget(pid_t pid) {
    Entry* const end = entries_ + count_;
    count_ = static_cast<std::size_t>(
        std::remove_if(entries_, end, [pid](const Entry& entry) { return entry.pid == pid; }) - entries_);
}

void KeptProcesses::drop_of_trial() {
    Entry* const end = entries_ + count_;
    count_ = static_cast<std::size_t>(
        std::remove_if(entries_, end, [](const Entry& entry) { return entry.for_trial; }) - entries_);
}

bool is_any_stopped(pid_t child) {
    const auto is_stopped = [](pid_t pid) {
        const char state = read_state(pid);
        return state == 'T' || state == 't';
    };
    list_descendants(child, KeptProcesses{});
    return is_stopped(child) || std::any_of(walk.pids, walk.pids + walk.count, is_stopped);
}

bool can_list_children() {
    ShortPath path;
    path.add("/proc/self/task/").add(static_cast<std::uint64_t>(getpid())).add("/children");
    return list_children(path.c_str(), [](pid_t) {});
}

bool reap_and_look(KeptProcesses& processes) {
    for (;;) {
        const pid_t pid = waitpid(-1, nullptr, WNOHANG | __WALL);
        if (pid > 0) {
            processes.forget(pid);
        } else if (pid < 0 && errno == EINTR) {
            continue;
        } else if (pid < 0) {
            return false; // ECHILD: nobody
        } else {
            break;
        }
    }
    if (processes.empty()) {
        return true;
    }
    list_descendants(getpid(), processes);
    return walk.count > 0;
}

void ask_strays_to_end(pid_t child) {
    list_descendants(child, {});
    for (std::size_t remaining = walk.count; remaining > 0; --remaining) {
        const pid_t pid = walk.pids[remaining - 1];
        if (getpgid(pid) != child) {
            kill(pid, SIGTERM);
        }
    }
}

Ended end_descendants(KeptProcesses& processes) {
    constexpr std::int64_t patience_ns = 5 * ns_per_s;
    constexpr long longest_pause_ns = 5 * ns_per_ms;
    Ended ended;
    const std::int64_t give_up_ns = monotonic_ns() + patience_ns;
    for (timespec pause{0, 50'000};;
         pause.tv_nsec = pause.tv_nsec * 2 < longest_pause_ns ? pause.tv_nsec * 2 : longest_pause_ns) {
        list_descendants(getpid(), processes);
        if (walk.count == 0) {
            return ended;
        }
        for (std::size_t i = 0; i < walk.count; ++i) {
            kill(walk.pids[i], SIGKILL);
        }
        for (;;) {
            const pid_t pid = waitpid(-1, nullptr, WNOHANG | __WALL);
            if (pid <= 0) {
                if (pid < 0 && errno == ECHILD) {
                    return ended;
                }
                break;
            }
            if (processes.contains(pid)) {
                processes.forget(pid);
            } else {
                ++ended.processes;
            }
        }
        if (monotonic_ns() >= give_up_ns) {
            ended.complete = false;
            return ended;
        }
        nanosleep(&pause, nullptr);
    }
}

} // namespace steelyard
