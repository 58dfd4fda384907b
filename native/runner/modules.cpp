#include "modules.hpp"

#include "opened_file.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr std::string_view prefix = "/proc/";
constexpr std::string_view line_feed = "\\012";
constexpr std::size_t longest_line = 8192;
constexpr int not_executable = 127;
/// Stops at system calls, two a call, without a new source, after which nothing more is looked at: half a
/// second.
constexpr unsigned most_stops = 40'000;
/// Larger files are data, whatever their name ends in.
constexpr off_t largest_source = 1 << 26;
constexpr int syscall_stop = SIGTRAP | 0x80;

// Not by substr: it throws, and what it throws with would be resident from the start.
std::string_view head(std::string_view text, std::size_t length) {
    text.remove_suffix(length < text.size() ? text.size() - length : 0);
    return text;
}

/// Text of a fixed length that lines are put together in.
class Line {
  public:
    void add(std::string_view text) {
        if (text.size() <= text_.size() - size_) {
            std::memcpy(text_.data() + size_, text.data(), text.size());
            size_ += text.size();
        } else {
            whole_ = false;
        }
    }

    /// A path of /proc/PID/maps, in which a line feed is written as four letters.
    void add_unescaped(std::string_view path) {
        for (std::size_t at = path.find(line_feed); at != std::string_view::npos; at = path.find(line_feed)) {
            add(head(path, at));
            add("\n");
            path.remove_prefix(at + line_feed.size());
        }
        add(path);
    }

    /// A path as /proc/PID/maps would write it.
    void add_escaped(std::string_view path) {
        for (std::size_t at = path.find('\n'); at != std::string_view::npos; at = path.find('\n')) {
            add(head(path, at));
            add(line_feed);
            path.remove_prefix(at + 1);
        }
        add(path);
    }

    void add(std::uint64_t number) {
        std::array<char, 24> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        add({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

    /// False: it was longer than there is room.
    [[nodiscard]] bool write_to(int fd) const {
        return whole_ && write(fd, text_.data(), size_) == static_cast<ssize_t>(size_);
    }

    [[nodiscard]] std::string_view text() const {
        return whole_ ? std::string_view(text_.data(), size_) : std::string_view();
    }

    [[nodiscard]] const char* c_str() {
        text_[whole_ && size_ < text_.size() ? size_ : 0] = '\0';
        return text_.data();
    }

  private:
    std::array<char, longest_line> text_{};
    std::size_t size_ = 0;
    bool whole_ = true;
};

/// Files that were written down, by a number of their device and inode.
class FileSet {
  public:
    enum class Entry { added, present, full };

    Entry add(std::uint64_t file) {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            std::uint64_t& place = files_[(file + i) % files_.size()];
            if (place == file) {
                return Entry::present;
            }
            if (place == 0) {
                place = file;
                return Entry::added;
            }
        }
        return Entry::full;
    }

  private:
    std::array<std::uint64_t, 4096> files_{};
};

/// A line of /proc/PID/maps that is of code from a file.
struct Mapping {
    std::string_view device;
    std::string_view inode;
    std::string_view path;
};

std::string_view next_word(std::string_view& line) {
    while (line.starts_with(' ')) {
        line.remove_prefix(1);
    }
    const std::string_view word = head(line, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

/// Empty path: of no file, or no code.
Mapping parse_mapping(std::string_view line) {
    next_word(line); // addresses
    const std::string_view rights = next_word(line);
    next_word(line); // offset
    const std::string_view device = next_word(line);
    const std::string_view inode = next_word(line);
    const std::size_t path = line.find('/');
    if (rights.size() < 3 || rights[2] != 'x' || path == std::string_view::npos) {
        return {};
    }
    line.remove_prefix(path);
    return {device, inode, line};
}

std::uint64_t hash_text(std::string_view device, std::string_view inode) { // FNV-1a
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::string_view text : {device, std::string_view(" "), inode}) {
        for (const char letter : text) {
            hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
        }
    }
    return hash | 1U; // not 0, which is a place without a file
}

std::uint64_t hash_file(const struct stat& file) {
    return (file.st_dev * 0x9e3779b97f4a7c15U + file.st_ino) | 1U;
}

std::uint64_t nanoseconds(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

class ModuleList {
  public:
    void write_to(int fd) { fd_ = fd; }

    /// Notes what a process that is stopped has mapped.
    void note_process(pid_t pid) {
        Line name;
        name.add(prefix);
        name.add(static_cast<std::uint64_t>(pid));
        name.add("/maps");
        const int maps = open(name.c_str(), O_RDONLY | O_CLOEXEC);
        if (maps < 0) {
            return;
        }
        static std::array<char, 2 * longest_line> buffer;
        std::size_t rest = 0;
        for (;;) {
            const ssize_t got = read(maps, buffer.data() + rest, buffer.size() - rest);
            if (got <= 0) {
                break;
            }
            std::string_view text(buffer.data(), rest + static_cast<std::size_t>(got));
            for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
                note_line(pid, head(text, end));
                text.remove_prefix(end + 1);
            }
            rest = text.size();
            std::memmove(buffer.data(), text.data(), rest);
        }
        close(maps);
    }

    /// Notes the source that a process is about to read, where it is stopped at such a system call; false
    /// where there is none, or none that is new.
    bool note_opening(pid_t pid) {
        static std::array<char, longest_opened_path> buffer;
        const auto [path, writes] = read_opened_source(pid, buffer);
        struct stat file{};
        if (path.empty() || full_) {
            return false;
        }
        if (writes) {
            Line line;
            line.add("written ");
            line.add_escaped(path);
            line.add("\n");
            static_cast<void>(line.write_to(fd_));
            return false;
        }
        Line place; // as the process has it, whose root may be another
        place.add(prefix);
        place.add(static_cast<std::uint64_t>(pid));
        place.add("/root");
        place.add(path);
        if (stat(place.c_str(), &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > largest_source ||
            !is_new(hash_file(file))) {
            return false;
        }
        Line name;
        name.add_escaped(path);
        write_line(file, name.text());
        return true;
    }

    void note_refusal(int error) const {
        Line line;
        line.add("refused ");
        line.add(static_cast<std::uint64_t>(error));
        line.add("\n");
        static_cast<void>(line.write_to(fd_));
    }

  private:
    void note_line(pid_t pid, std::string_view line) {
        const Mapping mapping = parse_mapping(line);
        if (!mapping.path.empty() && !full_ && is_new(hash_text(mapping.device, mapping.inode))) {
            write_file(pid, mapping.path);
        }
    }

    bool is_new(std::uint64_t file) {
        const FileSet::Entry entry = files_.add(file);
        if (entry == FileSet::Entry::full) {
            full_ = write(fd_, "more\n", 5) == 5;
        }
        return entry == FileSet::Entry::added;
    }

    void write_file(pid_t pid, std::string_view path) const {
        Line place; // as the process has it, whose root may be another
        place.add(prefix);
        place.add(static_cast<std::uint64_t>(pid));
        place.add("/root");
        place.add_unescaped(path);
        struct stat file{};
        if (stat(place.c_str(), &file) != 0) {
            file = {}; // removed or replaced; the reader checks whether something has its name
        }
        write_line(file, path);
    }

    /// Path: with line feeds as /proc/PID/maps has them.
    void write_line(const struct stat& file, std::string_view path) const {
        Line line;
        const std::uint64_t numbers[] = {file.st_dev, file.st_ino, static_cast<std::uint64_t>(file.st_size),
                                         nanoseconds(file.st_mtim), nanoseconds(file.st_ctim)};
        for (const std::uint64_t number : numbers) {
            line.add(number);
            line.add(" ");
        }
        line.add(path);
        line.add("\n");
        static_cast<void>(line.write_to(fd_));
    }

    int fd_ = 0; // all zeros, so that it takes no room in the program
    FileSet files_;
    bool full_ = false;
};

// Not in a function: what guards such an object there is 60 KB of the runner.
constinit ModuleList modules;

/// Stops at system calls that are still looked at.
constinit unsigned stops = most_stops;

void resume(pid_t pid, int signal) {
    ptrace(stops > 0 ? PTRACE_SYSCALL : PTRACE_CONT, pid, nullptr, static_cast<std::intptr_t>(signal));
}

bool is_stop_signal(int signal) {
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

void handle_call(pid_t pid) {
    if (stops > 0) {
        stops = modules.note_opening(pid) ? most_stops : stops - 1;
    }
    resume(pid, 0);
}

void handle_stop(pid_t pid, int status) {
    const int signal = WSTOPSIG(status);
    switch (status >> 16) {
    case 0: // a system call, or a signal that is on its way
        if (signal == syscall_stop) {
            handle_call(pid);
        } else {
            resume(pid, signal);
        }
        return;
    case PTRACE_EVENT_EXIT:
        modules.note_process(pid);
        resume(pid, 0);
        return;
    case PTRACE_EVENT_STOP:
        if (is_stop_signal(signal)) { // it stays stopped, as it would without us
            ptrace(PTRACE_LISTEN, pid, nullptr, nullptr);
            return;
        }
        resume(pid, 0);
        return;
    default:
        resume(pid, 0);
    }
}

/// Status of the program as wait gives it.
int follow(pid_t program) {
    for (;;) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0 && errno != EINTR) {
            return not_executable << 8;
        }
        if (pid > 0 && WIFSTOPPED(status)) {
            handle_stop(pid, status);
        } else if (pid == program) {
            return status;
        }
    }
}

/// Ends as the program did, so that the runner says the same of it.
int end_alike(int status) {
    if (!WIFSIGNALED(status)) {
        return WEXITSTATUS(status);
    }
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return not_executable;
}

/// Not for us: the program's group has them, and how it ends is how we do.
void leave_signals_to_program() {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM}) {
        signal(number, SIG_IGN);
    }
}

[[noreturn]] void become_program(int gate, const char* path, char** words) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char letter = 0;
    if (read(gate, &letter, 1) == 1) {
        execv(path, words);
    }
    _exit(not_executable);
}

} // namespace

int run_with_modules(int count, char** arguments) {
    int gate[2];
    const int fd = count > 3 ? open(arguments[1], O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0 || pipe2(gate, O_CLOEXEC) != 0) {
        return not_executable;
    }
    const pid_t program = fork();
    if (program < 0) {
        return not_executable;
    }
    if (program == 0) {
        close(gate[1]);
        become_program(gate[0], arguments[2], arguments + 3);
    }
    leave_signals_to_program();
    modules.write_to(fd);
    constexpr std::intptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT |
                                      PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    if (ptrace(PTRACE_SEIZE, program, nullptr, options) != 0) {
        modules.note_refusal(errno);
    }
    if (write(gate[1], "", 1) != 1) {
        return not_executable;
    }
    close(gate[0]);
    close(gate[1]);
    return end_alike(follow(program));
}

} // namespace steelyard
