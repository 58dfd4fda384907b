/// Sources that an interpreter opens, and libraries: code that no process has mapped when it ends.
#pragma once

#include <span>
#include <string_view>
#include <sys/types.h>

namespace steelyard {

/// The longest path that is read, with the NUL behind it.
constexpr unsigned longest_opened_path = 4096;

/// A source or library that a process is about to open.
struct OpenedSource {
    /// As the process has it, put behind its directory where it is relative. Empty at any other call, of
    /// another kind of file, and in a process of another word size.
    std::string_view path;
    bool writes = false;
};

/// What a process that is stopped at a system call opens by it.
///
/// A source is a file whose name ends as those of interpreters do: .py, .pyc, .js, .rb, .pl, .sh, .jar and so
/// on.
[[nodiscard]] OpenedSource read_opened_source(pid_t pid, std::span<char> buffer);

} // namespace steelyard
