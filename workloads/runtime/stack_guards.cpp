#include "runtime/stack_guards.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/ending.hpp"

namespace goodsyard::runtime {

namespace {

/// What a signal handler goes through: entries are never freed, but used again.
struct Entry {
    GuardedStacks stacks;
    std::atomic<bool> is_used{true};
    Entry* next = nullptr;
};
std::atomic<Entry*> entries{nullptr};
struct sigaction handler_before{};

/// A sentence made where nothing may be allocated.
class Sentence {
  public:
    void add(const char* text) {
        const std::size_t size = std::min(std::strlen(text), sizeof bytes_ - size_);
        std::memcpy(bytes_ + size_, text, size);
        size_ += size;
    }
    void add(std::size_t number) {
        char digits[24];
        char* first = digits + sizeof digits;
        *--first = '\0';
        do {
            *--first = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number > 0);
        add(first);
    }
    void write_out() const { [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, bytes_, size_); }

  private:
    char bytes_[512] = {};
    std::size_t size_ = 0;
};

const GuardedStacks* stacks_of(const std::byte* address) {
    for (const Entry* entry = entries.load(); entry != nullptr; entry = entry->next) {
        const GuardedStacks& stacks = entry->stacks;
        if (entry->is_used && address >= stacks.first) {
            const auto distance = static_cast<std::size_t>(address - stacks.first);
            if (distance < stacks.stride * stacks.count && distance % stacks.stride < stacks.page_bytes) {
                return &stacks;
            }
        }
    }
    return nullptr;
}

[[noreturn]] void end_overrun(const GuardedStacks& stacks) {
    if (!is_ending()) { // The sentence that is said then is the one to be read.
        Sentence sentence;
        sentence.add(program_invocation_short_name);
        if (stacks.rank >= 0) {
            sentence.add(": rank ");
            sentence.add(static_cast<std::size_t>(stacks.rank));
        }
        sentence.add(": a task has overrun its stack of ");
        sentence.add(stacks.stack_bytes);
        sentence.add(" bytes: keep large objects elsewhere, or raise --stack-bytes\n");
        sentence.write_out();
        ::poll(nullptr, 0,
               time_to_forward_ms); // Launchers drop what a rank has written if it ends before they read it.
    }
    _exit(1);
}

void handle_fault(int signal, siginfo_t* fault, void* context) {
    if (const GuardedStacks* stacks = stacks_of(static_cast<const std::byte*>(fault->si_addr))) {
        end_overrun(*stacks);
    }
    if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
        handler_before.sa_sigaction(signal, fault, context);
    } else if (handler_before.sa_handler == SIG_DFL || handler_before.sa_handler == SIG_IGN) {
        std::signal(signal, SIG_DFL); // The instruction faults once more.
    } else {
        handler_before.sa_handler(signal);
    }
}

bool install_handler() {
    struct sigaction action{};
    action.sa_sigaction = handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, &handler_before) == 0;
}

/// A stack that was overrun has no room for a signal handler.
void give_signals_a_stack() {
    stack_t stack{};
    if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) {
        return;
    }
    constexpr std::size_t bytes = std::size_t{64} << 10U;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        stack = {};
        stack.ss_sp = memory;
        stack.ss_size = bytes;
        sigaltstack(&stack, nullptr);
    }
}

} // namespace

void watch_guards(const GuardedStacks& stacks) {
    [[maybe_unused]] static const bool is_installed = install_handler();
    give_signals_a_stack();
    for (Entry* entry = entries.load(); entry != nullptr; entry = entry->next) {
        if (entry->stacks.first == nullptr) {
            entry->stacks = stacks;
            entry->is_used = true;
            return;
        }
    }
    entries = new Entry{stacks, true, entries.load()};
}

void forget_guards(const std::byte* first) {
    for (Entry* entry = entries.load(); entry != nullptr; entry = entry->next) {
        if (entry->stacks.first == first) {
            entry->is_used = false;
            entry->stacks.first = nullptr;
        }
    }
}

} // namespace goodsyard::runtime
