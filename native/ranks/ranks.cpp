// What mpirun does not say of its ranks: preloaded, it makes a rank say that it leaves before MPI_Finalize,
// that it aborts, or where it waits when it is asked to end. Nothing is done while a rank works.
//
// A rank that would end with exit code 0 all the same ends with 1: MPICH's mpirun takes it for success, as
// both libraries' take MPI_Abort with a multiple of 256. MPI is only asked whether it is initialised and
// finalised, so that neither profilers nor Fortran's and Python's bindings matter.

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

namespace {

constexpr const char* libraries[] = {"libmpi.so.40", "libmpi.so.20", "libmpi.so.12", "libmpich.so.12"};
constexpr int failed = 1;
constexpr int longest_line = 256;
constexpr int most_ancestors = 16;
constexpr std::uintptr_t longest_stack = 8 << 20;

const char* rank = nullptr; ///< in MPI_COMM_WORLD; null in a process that is no rank
const char* ranks = nullptr;
pid_t process = 0; ///< a child that it forks is no rank
std::atomic<bool> reported{false};

/// The first of these variables that is set.
const char* variable(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        if (const char* const value = std::getenv(name)) {
            return value;
        }
    }
    return nullptr;
}

/// A function of the MPI library, wherever it was loaded to: bindings of Python hide theirs from the program.
void* find(const char* name) {
    if (void* const symbol = dlsym(RTLD_NEXT, name)) {
        return symbol;
    }
    for (const char* const library : libraries) {
        if (void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
            return dlsym(handle, name);
        }
    }
    return nullptr;
}

bool ask(const char* name) {
    const auto query = reinterpret_cast<int (*)(int*)>(find(name));
    int answer = 0;
    return query != nullptr && query(&answer) == 0 && answer != 0;
}

/// Whether this is a rank that is in the midst of MPI.
bool is_inside() {
    return rank != nullptr && getpid() == process && ask("MPI_Initialized") && !ask("MPI_Finalized");
}

pid_t parent_of(pid_t child) {
    char path[32];
    char text[512];
    std::snprintf(path, sizeof path, "/proc/%d/stat", child);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    const char* const name_end = std::strrchr(text, ')');
    // Behind the name: a bracket, a blank, the state, a blank, the parent.
    constexpr std::size_t before_parent = 4;
    if (name_end == nullptr || std::strlen(name_end) <= before_parent) {
        return 0;
    }
    return static_cast<pid_t>(std::strtol(name_end + before_parent, nullptr, 10));
}

/// Where mpirun itself writes, or the rank's own stderr: an mpirun that is asked to end hands nothing on.
int open_captured() {
    pid_t ancestor = process;
    for (int i = 0; i < most_ancestors && ancestor > 1; ++i) {
        char path[32];
        char target[32] = {};
        std::snprintf(path, sizeof path, "/proc/%d/fd/2", ancestor);
        if (readlink(path, target, sizeof target - 1) > 0 && std::strncmp(target, "/memfd:stderr", 13) == 0) {
            if (const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC); fd >= 0) {
                return fd;
            }
        }
        ancestor = parent_of(ancestor);
    }
    return STDERR_FILENO;
}

void report(const char* format, const char* detail, int number) {
    if (reported.exchange(true)) {
        return;
    }
    char end[longest_line / 2];
    char line[longest_line];
    std::snprintf(end, sizeof end, format, detail, number);
    const int length = std::snprintf(line, sizeof line, "steelyard: rank %s of %s %s\n", rank, ranks, end);
    const int fd = open_captured();
    static_cast<void>(!write(fd, line, static_cast<std::size_t>(length)));
}

/// The exit code to end with.
int leave(int status) {
    if (status != 0 || !is_inside()) {
        return status;
    }
    report("left with exit code%s %d before MPI_Finalize", "", status);
    return failed;
}

[[noreturn]] void end(int status) {
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

/// What the program has called of MPI.
struct Call {
    const char* name = nullptr; ///< the outermost function, since MPI calls itself
    const void* library = nullptr;
    bool in_library = false;
    const void* last_object = nullptr; ///< that of the outermost frame that the unwinder found
};

void look_at_address(Call& call, const Dl_info& info) {
    call.in_library = call.in_library || info.dli_fbase == call.library;
    if (info.dli_sname != nullptr) {
        const char* const name = info.dli_sname[0] == 'P' ? info.dli_sname + 1 : info.dli_sname;
        if (std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "mpi_", 4) == 0) {
            call.name = name;
        }
    }
}

// Addresses come as integers from the unwinder, the kernel and the stack.
// NOLINTBEGIN(performance-no-int-to-ptr)
_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* data) {
    Call& call = *static_cast<Call*>(data);
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(_Unwind_GetIP(context)), &info) != 0) {
        call.last_object = info.dli_fbase;
        look_at_address(call, info);
    }
    return _URC_NO_REASON;
}

/// Whether the unwinder came to the start of the program. A stub of the linker has no frame for it: there it
/// ends early and says, as at the start, that the stack has ended.
bool is_complete(const Call& call) {
    Dl_info program{};
    return dladdr(reinterpret_cast<void*>(getauxval(AT_ENTRY)), &program) != 0 &&
           call.last_object == program.dli_fbase;
}

/// Looks for return addresses into the MPI library in the stack from here to its end, where that of the first
/// thread lies. What an earlier call left there counts too: a rank is then taken to be inside of MPI.
void scan_stack(Call& call, const void* from) {
    const auto begin = reinterpret_cast<std::uintptr_t>(from) / sizeof(void*) * sizeof(void*);
    const std::uintptr_t top = getauxval(AT_EXECFN) / sizeof(void*) * sizeof(void*);
    if (begin > top || top - begin > longest_stack) {
        return;
    }
    for (std::uintptr_t place = begin; place < top; place += sizeof(void*)) {
        void* word = nullptr;
        std::memcpy(static_cast<void*>(&word), reinterpret_cast<const void*>(place), sizeof word);
        Dl_info info{};
        // The beginning of a function is a pointer to it, and not where a call returns to.
        if (dladdr(word, &info) != 0 && info.dli_fbase == call.library && info.dli_saddr != word) {
            look_at_address(call, info);
        }
    }
}
// NOLINTEND(performance-no-int-to-ptr)

void report_place(const void* frame) {
    Call call;
    Dl_info library{};
    if (dladdr(find("MPI_Finalize"), &library) != 0) {
        call.library = library.dli_fbase;
    }
    const bool ended = _Unwind_Backtrace(look_at_frame, &call) == _URC_END_OF_STACK;
    const bool complete = ended && is_complete(call);
    if (!complete && call.name == nullptr) {
        scan_stack(call, frame);
    }
    if (call.name != nullptr || call.in_library) {
        report("was waiting in %s", call.name != nullptr ? call.name : "MPI", 0);
    } else if (complete && ask("MPI_Initialized")) {
        report("was outside of MPI%s", "", 0);
    }
}

void on_request_to_end(int number) {
    if (getpid() == process && !ask("MPI_Finalized")) {
        report_place(__builtin_frame_address(0));
        // A launcher kills all ranks when it sees that one ended.
        const timespec others_report{0, 100'000'000};
        nanosleep(&others_report, nullptr);
    }
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void on_end(int status, void* /*unused*/) {
    if (const int code = leave(status); code != status) {
        std::fflush(nullptr);
        end(code);
    }
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) void _exit(int status) {
    end(leave(status));
}

__attribute__((visibility("default"))) void _Exit(int status) {
    end(leave(status));
}

/// MPICH removes its segment in MPI_Finalize, so a rank that is killed leaves it: its name goes into a file,
/// by which it is removed after the trial.
__attribute__((visibility("default"))) int shm_open(const char* name, int flags, mode_t mode) {
    const auto next = reinterpret_cast<int (*)(const char*, int, mode_t)>(dlsym(RTLD_NEXT, "shm_open"));
    const int segment = next(name, flags, mode);
    const char* const list = std::getenv("STEELYARD_SEGMENTS");
    if (segment >= 0 && (flags & O_CREAT) != 0 && rank != nullptr && list != nullptr) {
        const int fd = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        char line[longest_line];
        const int length = std::snprintf(line, sizeof line, "%s\n", name[0] == '/' ? name + 1 : name);
        if (fd >= 0 && length < longest_line) {
            static_cast<void>(!write(fd, line, static_cast<std::size_t>(length)));
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    return segment;
}

/// A communicator is a pointer or an int, and either fits.
__attribute__((visibility("default"))) int MPI_Abort(std::intptr_t communicator, int code) {
    const auto next = reinterpret_cast<int (*)(std::intptr_t, int)>(find("MPI_Abort"));
    if (rank != nullptr) {
        report("called MPI_Abort with code%s %d", "", code);
    }
    if (next == nullptr) {
        end(failed);
    }
    return next(communicator, code % 256 == 0 ? failed : code);
}

__attribute__((constructor)) void steelyard_watch_rank() {
    rank = variable({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
    ranks = variable({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
    if (rank == nullptr || ranks == nullptr) {
        rank = nullptr;
        return;
    }
    process = getpid();
    on_exit(on_end, nullptr);
    struct sigaction before{};
    if (sigaction(SIGTERM, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
        struct sigaction action{};
        action.sa_handler = on_request_to_end;
        action.sa_flags = SA_RESTART;
        sigaction(SIGTERM, &action, nullptr);
    }
}
}
