#include "process_facts.hpp"

#include "decimal.hpp"
#include "record.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace steelyard {

namespace {

/// Empty when it cannot be read.
std::string_view read_fact(pid_t pid, std::string_view name, char* buffer, std::size_t size) {
    ShortPath path;
    path.add("/proc/").add(static_cast<std::uint64_t>(pid)).add(name);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return {};
    }
    const ssize_t got = read(fd, buffer, size);
    close(fd);
    return {buffer, got > 0 ? static_cast<std::size_t>(got) : 0};
}

} // namespace

std::uint64_t parse_queue_wait_ns(std::string_view schedstat) {
    std::uint64_t on_cpu_ns = 0;
    std::uint64_t waited_ns = 0;
    return take_number(schedstat, on_cpu_ns) && take_number(schedstat, waited_ns) ? waited_ns : no_queue_wait;
}

std::int32_t parse_last_cpu(std::string_view stat) {
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos) {
        return -1;
    }
    stat.remove_prefix(name_end + 1);
    for (int field = 2; field < 38; ++field) { // leaves field 39 in front
        const std::size_t blank = stat.find(' ', 1);
        if (blank == std::string_view::npos) {
            return -1;
        }
        stat.remove_prefix(blank);
    }
    std::uint64_t cpu = 0;
    return take_number(stat, cpu) ? static_cast<std::int32_t>(cpu) : -1;
}

char parse_state(std::string_view stat) {
    const std::size_t name_end = stat.rfind(')');
    return name_end == std::string_view::npos || stat.size() < name_end + 3 ? '\0' : stat[name_end + 2];
}

char read_state(pid_t pid) {
    char buffer[1024];
    return parse_state(read_fact(pid, "/stat", buffer, sizeof buffer));
}

std::uint64_t read_queue_wait_ns(pid_t pid) {
    char buffer[128];
    return parse_queue_wait_ns(read_fact(pid, "/schedstat", buffer, sizeof buffer));
}

std::int32_t read_last_cpu(pid_t pid) {
    char buffer[1024];
    return parse_last_cpu(read_fact(pid, "/stat", buffer, sizeof buffer));
}

} // namespace steelyard
