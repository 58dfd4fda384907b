/// What a program has mapped when it ends: its libraries, those that it opened itself, its interpreter, its
/// modules, and the sources that interpreters read.
#pragma once

namespace steelyard {

/// steelyard-modules FILE PROGRAM WORD...: runs a program with these words, and writes to FILE the files of
/// which its processes had code mapped when they ended. Returns as the program did.
///
/// The kernel stops each process and thread where it is about to end (PTRACE_O_TRACEEXIT), when its address
/// space still stands: of a process that has ended, /proc shows none. It stops them where they start
/// others, too, and at system calls, of which those that open a source are looked at
/// (`opened_file.hpp`), until 20,000 have opened no new one. Not by a filter of calls (seccomp): a process
/// that lives on when this one has ended would be refused each call that the filter names. For runs that
/// nobody times.
///
/// FILE has a line for each file: device, inode, size, times of its contents and of its inode in ns, path as
/// /proc has it. "refused ERRNO" is its only line where the kernel allows no tracing, "more" the last one
/// where there were too many files, "written PATH" a source that the program itself opened to write.
[[nodiscard]] int run_with_modules(int count, char** arguments);

} // namespace steelyard
