// A stack of one's own, entered and left by Boost.Context, with what AddressSanitizer wants to be told: which
// is found out when a program begins, since it may be compiled otherwise than the library that it links.
//
// No header of the runtime includes one of Boost: some of its types differ by NDEBUG, and a program may be
// compiled otherwise than the library that it links. Switches are inline all the same: a processor predicts
// returns by the calls before them, and is wrong after a switch. Out of line, one and back took 26.6 ns,
// not 13.8.
#pragma once

#include <cstddef>
#include <cxxabi.h>
#include <exception>
#include <functional>
#include <utility>

#include "runtime/stack_pool.hpp"

namespace goodsyard::runtime {

namespace switching {

/// What a jump returns where it arrives: the context that was left, and what was handed over.
struct Arrival {
    void* context;
    void* data;
};
/// Boost.Context's function of this name in C, whose transfer_t is of the same two pointers.
Arrival jump(void* context, void* data) __asm__("jump_fcontext");

/// Which exceptions are caught, and how many are on their way: what `__cxa_get_globals` points to (Itanium
/// C++ ABI: Exception Handling, 2.2.2). The language's runtime keeps it for a thread; it belongs to a stack.
struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
    [[nodiscard]] bool any() const { return caught != nullptr || uncaught != 0; }
};
/// Of this thread, as long as it lives.
inline Exceptions& exceptions_of_thread() {
    return *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
}

/// Whether there is an AddressSanitizer in the program, whatever was compiled for it.
extern const bool is_sanitized;

} // namespace switching

/// Raised by `suspend` in a suspended fibre that is given up, whose frames it unwinds; nobody may swallow it.
struct Unwinding {};

/// Its body may suspend anywhere, in a `catch` block too. Made, resumed and ended by one thread.
class Fibre {
  public:
    /// `body` begins at the first `resume`, on `stack`, which outlives this.
    Fibre(const Stack& stack, std::function<void()> body);
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;
    ~Fibre();

    /// Run on its stack until it suspends itself or ends. Raises what its body has raised.
    void resume() {
        enter();
        if (error_) [[unlikely]] {
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
    }
    /// Back to who resumed it; called on its own stack. Raises Unwinding where the fibre is given up.
    void suspend() {
        if (switching::is_sanitized) [[unlikely]] {
            suspend_watched();
        } else {
            outside_ = jump(outside_).context;
        }
        if (is_given_up_) [[unlikely]] {
            unwind();
        }
    }
    [[nodiscard]] bool has_ended() const { return inside_ == nullptr; }
    /// Where its registers are kept while it is suspended, for prefetching.
    [[nodiscard]] void* registers() const { return inside_; }

  private:
    struct Beginning;

    /// Switch to its stack, and remember where it is left.
    void enter() {
        if (switching::is_sanitized) [[unlikely]] {
            enter_watched();
        } else {
            return_from(jump(inside_));
        }
    }
    /// Null by a fibre that has ended.
    void return_from(const switching::Arrival& back) {
        inside_ = back.data == nullptr ? nullptr : back.context;
    }
    // The same, of which AddressSanitizer is told.
    void enter_watched();
    void suspend_watched();
    /// Leave a stack with the exceptions that it has caught, so that the other one finds none. As long as
    /// there are none, two words are read and nothing is written: keeping them each time took half of a
    /// switch more.
    switching::Arrival jump(void* context) {
        if (!exceptions_.any()) [[likely]] {
            return switching::jump(context, this);
        }
        const switching::Exceptions kept = std::exchange(exceptions_, {});
        const switching::Arrival arrival = switching::jump(context, this);
        exceptions_ = kept;
        return arrival;
    }
    /// All that happens on its stack.
    void run();
    [[noreturn]] static void unwind();

    // What a switch touches comes first. Contexts are null where there is none.
    void* inside_;            ///< Of its stack, while that is left.
    void* outside_ = nullptr; ///< Of who resumed it.
    switching::Exceptions& exceptions_ = switching::exceptions_of_thread();
    std::exception_ptr error_;
    bool has_begun_ = false;
    bool is_given_up_ = false;
    const void* outside_bottom_ = nullptr;
    std::size_t outside_bytes_ = 0;
    Stack stack_;
    std::function<void()> body_;
};

} // namespace goodsyard::runtime
