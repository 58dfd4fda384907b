#include "opened_file.hpp"

#include "decimal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

constexpr std::uintptr_t page_size = 4096; // or a multiple of it: a read over its end is split once too often

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
    const std::size_t first = std::min<std::size_t>(page_size - address % page_size, buffer.size());
    iovec local{buffer.data(), buffer.size()};
    // Two parts: the second may lie on a page that is not there.
    iovec remote[] = {{reinterpret_cast<void*>(address), first},
                      {reinterpret_cast<void*>(address + first), buffer.size() - first}};
    const ssize_t got = process_vm_readv(pid, &local, 1, remote, 2, 0);
    const std::size_t size = got > 0 ? static_cast<std::size_t>(got) : 0;
    const void* end = size > 0 ? std::memchr(buffer.data(), 0, size) : nullptr;
    return end == nullptr ? std::string_view()
                          : std::string_view(buffer.data(), static_cast<const char*>(end) - buffer.data());
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
