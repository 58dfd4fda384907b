// steelyard-load cpu|memory|disk PERCENT PATH [CPU...]: a load beside a program that is measured. It returns
// when the load is at work, which it leaves behind: one process, that ends with the one that adopts it.
//
//   cpu     arithmetic in registers
//   memory  reads and writes a buffer that no cache holds (twice the last level, 64 MiB at least)
//   disk    writes 1 MiB after the other into an unnamed file in the directory PATH, and waits for the disk
//
// Of every 10 ms it works PERCENT and sleeps the rest.

#include "programs.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::int64_t period_ns = 10'000'000;
constexpr std::size_t block_bytes = 1U << 20U;
constexpr std::size_t least_buffer_bytes = 64U << 20U;
constexpr off_t largest_file_bytes = 64 << 20;

enum class Kind { cpu, memory, disk };

struct Load {
    Kind kind = Kind::cpu;
    std::int64_t work_ns = period_ns;
    std::uint64_t* buffer = nullptr;
    std::size_t words = 0;
    std::size_t at = 0;
    int file = -1;
    off_t written = 0;
    volatile std::uint64_t sum = 1;
};

int complain(std::string_view problem, std::string_view why = {}) {
    for (const std::string_view part :
         {std::string_view("steelyard-load: "), problem, std::string_view(why.empty() ? "" : ": "), why,
          std::string_view("\n")}) {
        if (write(2, part.data(), part.size()) < 0) {
            break;
        }
    }
    return 1;
}

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

bool number(const char* text, long least, long most, long& value) {
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    return error == std::errc{} && stop == end && value >= least && value <= most;
}

/// Some microseconds of work. False when it cannot go on.
bool work(Load& load) {
    switch (load.kind) {
    case Kind::cpu: {
        std::uint64_t sum = load.sum;
        for (int i = 0; i < 20'000; ++i) {
            sum = sum * 6364136223846793005U + 1442695040888963407U;
        }
        load.sum = sum;
        return true;
    }
    case Kind::memory:
        // One word of each cache line.
        for (int i = 0; i < 2'000; ++i) {
            load.buffer[load.at] += 1;
            load.at = load.at + 8 < load.words ? load.at + 8 : 0;
        }
        return true;
    case Kind::disk:
        load.written =
            load.written + static_cast<off_t>(block_bytes) <= largest_file_bytes ? load.written : 0;
        if (pwrite(load.file, load.buffer, block_bytes, load.written) < 0 || fdatasync(load.file) != 0) {
            return false;
        }
        load.written += static_cast<off_t>(block_bytes);
        return true;
    }
    return false;
}

/// Bytes of the last level of caches as the kernel has them, which musl cannot be asked for; 0 where it says
/// nothing.
std::size_t read_cache_bytes() {
    const int fd = open("/sys/devices/system/cpu/cpu0/cache/index3/size", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    char text[32] = {};
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    return length > 0 ? std::strtoull(text, nullptr, 10) * 1024 : 0; // the kernel writes "36608K"
}

int prepare(Load& load, const char* directory) {
    if (load.kind == Kind::cpu) {
        return 0;
    }
    std::size_t bytes = block_bytes;
    if (load.kind == Kind::memory) {
        bytes = std::max(2 * read_cache_bytes(), least_buffer_bytes);
    } else {
        load.file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (load.file < 0) {
            return complain(directory, std::strerror(errno));
        }
    }
    void* const map =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (map == MAP_FAILED) {
        return complain("no memory", std::strerror(errno));
    }
    load.buffer = static_cast<std::uint64_t*>(map);
    load.words = bytes / sizeof *load.buffer;
    return 0;
}

void stay(Load& load) {
    for (;;) {
        const std::int64_t start_ns = now_ns();
        while (now_ns() - start_ns < load.work_ns) {
            if (!work(load)) {
                return;
            }
        }
        const std::int64_t rest_ns = start_ns + period_ns - now_ns();
        if (load.work_ns < period_ns && rest_ns > 0) {
            const timespec rest{0, static_cast<long>(rest_ns)};
            nanosleep(&rest, nullptr);
        }
    }
}

int be_the_load(Load& load, const char* directory, pid_t starter, int ready) {
    prctl(PR_SET_NAME, "steelyard-load");
    if (const int error = prepare(load, directory); error != 0) {
        return error;
    }
    if (!work(load)) {
        return complain(directory, std::strerror(errno));
    }
    // The starter may end now. Only then is it adopted by the one whose end shall be its own.
    if (write(ready, "y", 1) != 1) {
        return 1;
    }
    close(ready);
    while (getppid() == starter) {
        const timespec moment{0, 100'000};
        nanosleep(&moment, nullptr);
    }
    const pid_t adopter = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != adopter) {
        return 1;
    }
    stay(load);
    return 1;
}

} // namespace

int steelyard::start_load(int count, char** arguments) {
    const std::string_view kind = count > 3 ? arguments[1] : "";
    long percent = 0;
    if ((kind != "cpu" && kind != "memory" && kind != "disk") || !number(arguments[2], 1, 100, percent)) {
        complain("usage: steelyard-load cpu|memory|disk PERCENT PATH [CPU...]");
        return 2;
    }
    Load load;
    load.kind = kind == "cpu" ? Kind::cpu : kind == "memory" ? Kind::memory : Kind::disk;
    load.work_ns = period_ns * percent / 100;
    if (count > 4) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        for (int i = 4; i < count; ++i) {
            long cpu = 0;
            if (!number(arguments[i], 0, CPU_SETSIZE - 1, cpu)) {
                return complain("no CPU", arguments[i]);
            }
            CPU_SET(static_cast<std::size_t>(cpu), &cpus);
        }
        if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
            return complain("CPUs", std::strerror(errno));
        }
    }
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) {
        return complain("pipe", std::strerror(errno));
    }
    const pid_t starter = getpid();
    const pid_t child = fork();
    if (child < 0) {
        return complain("fork", std::strerror(errno));
    }
    if (child == 0) {
        close(ready[0]);
        _exit(be_the_load(load, arguments[3], starter, ready[1]));
    }
    close(ready[1]);
    char answer = 0;
    return read(ready[0], &answer, 1) == 1 ? 0 : 1;
}
