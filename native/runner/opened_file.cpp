#include "opened_file.hpp"

#include "decimal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <fcntl.h>
#include <iterator>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr std::string_view endings[] = {".py",   ".pyc", ".pyz",  ".egg", ".js",    ".mjs", ".cjs", ".ts",
                                        ".wasm", ".rb",  ".pl",   ".pm",  ".lua",   ".php", ".tcl", ".R",
                                        ".jl",   ".sh",  ".bash", ".jar", ".class", ".beam"};

/// Whether a path is named as a library: one that is closed again is in no list of mappings at the end.
bool is_library(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    path.remove_prefix(slash == std::string_view::npos ? 0 : slash);
    constexpr std::string_view ending = ".so.";
    const std::size_t at = path.find(ending);
    const std::size_t behind = at == std::string_view::npos ? path.size() : at + ending.size();
    // A digit behind it: ld.so.cache is none.
    const bool has_version = behind < path.size() && path[behind] >= '0' && path[behind] <= '9';
    return path.ends_with(".so") || has_version;
}

/// Arguments of a call that opens a file.
struct Opening {
    int directory = AT_FDCWD;
    std::uintptr_t path = 0;
    std::uint64_t flags = 0;
};

/// Path 0: the process is at another call, or has words of another size.
Opening read_opening(pid_t pid) {
    user_regs_struct registers{};
    iovec place{&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, pid, static_cast<std::intptr_t>(NT_PRSTATUS), &place) != 0 ||
        place.iov_len != sizeof registers) {
        return {};
    }
#if defined(__x86_64__)
    if (registers.orig_rax == SYS_open) {
        return {AT_FDCWD, registers.rdi, registers.rsi};
    }
    if (registers.orig_rax == SYS_openat) {
        return {static_cast<int>(registers.rdi), registers.rsi, registers.rdx};
    }
#elif defined(__aarch64__)
    if (registers.regs[8] == SYS_openat) {
        return {static_cast<int>(registers.regs[0]), registers.regs[1], registers.regs[2]};
    }
#endif
    return {};
}

/// Text of the process up to its NUL; empty where there is none within the buffer.
std::string_view read_text(pid_t pid, std::uintptr_t address, std::span<char> buffer) {
    ShortPath place;
    place.add("/proc/").add(static_cast<std::uint64_t>(pid)).add("/mem");
    const int memory = open(place.c_str(), O_RDONLY | O_CLOEXEC);
    if (memory < 0) {
        return {};
    }
    // Ends early where the next page is not there.
    const ssize_t got = pread(memory, buffer.data(), buffer.size(), static_cast<off_t>(address));
    close(memory);
    const std::string_view text(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::size_t end = text.find('\0');
    return end == std::string_view::npos ? std::string_view() : std::string_view(buffer.data(), end);
}

/// Directory that a relative path begins at; empty where it has none.
std::string_view read_directory(pid_t pid, int directory, std::span<char> buffer) {
    ShortPath link;
    link.add("/proc/").add(static_cast<std::uint64_t>(pid));
    if (directory == AT_FDCWD) {
        link.add("/cwd");
    } else {
        link.add("/fd/").add(static_cast<std::uint64_t>(directory));
    }
    const ssize_t got = readlink(link.c_str(), buffer.data(), buffer.size());
    return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

} // namespace

OpenedSource read_opened_source(pid_t pid, std::span<char> buffer) {
    const Opening opening = read_opening(pid);
    if (opening.path == 0) {
        return {};
    }
    std::array<char, longest_opened_path> name;
    const std::string_view path = read_text(pid, opening.path, name);
    const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
    if (!is_library(path) && std::none_of(std::begin(endings), std::end(endings), ends)) {
        return {};
    }
    std::string_view start;
    if (!path.starts_with('/')) {
        start = read_directory(pid, opening.directory, buffer);
        if (start.empty()) {
            return {};
        }
    }
    const std::size_t size = start.size() + path.size() + (start.empty() ? 0 : 1);
    if (size > buffer.size()) {
        return {};
    }
    char* at = buffer.data() + start.size();
    if (!start.empty()) {
        *at++ = '/';
    }
    std::copy(path.begin(), path.end(), at);
    return {{buffer.data(), size}, (opening.flags & O_ACCMODE) != O_RDONLY};
}

} // namespace steelyard
