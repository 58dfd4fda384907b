// A stack of one's own, entered and left by Boost.Context, with what AddressSanitizer wants to be told.
//
// No header of the runtime includes one of Boost: some of its types differ by NDEBUG, and a program may be
// compiled otherwise than the library that it links.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include "runtime/stack_pool.hpp"

namespace workloads::runtime {

/// Raised by `suspend` in a suspended fibre that is given up, whose frames it unwinds; nobody may swallow it.
struct Unwinding {};

/// Its body must not let a thread of execution leave a `catch` block by `suspend`.
class Fibre {
  public:
    /// `body` begins at the first `resume`, on `stack`, which outlives this.
    Fibre(const Stack& stack, std::function<void()> body);
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;
    ~Fibre();

    /// Run on its stack until it suspends itself or ends. Raises what its body has raised.
    void resume();
    /// Back to who resumed it; called on its own stack. Raises Unwinding where the fibre is given up.
    void suspend();
    [[nodiscard]] bool has_ended() const { return inside_ == nullptr; }
    /// Where its registers are kept while it is suspended, for prefetching.
    [[nodiscard]] void* registers() const { return inside_; }

  private:
    class Away;
    struct Switches;

    /// Switch to its stack, and remember where it is left.
    void enter();
    /// All that happens on its stack.
    void live();

    // What a switch touches comes first. Contexts of Boost.Context: null where there is none.
    void* inside_;            ///< Of its stack, while that is left.
    void* outside_ = nullptr; ///< Of who resumed it.
    std::exception_ptr error_;
    bool has_begun_ = false;
    bool is_given_up_ = false;
    const void* outside_bottom_ = nullptr;
    std::size_t outside_bytes_ = 0;
    Stack stack_;
    std::function<void()> body_;
};

} // namespace workloads::runtime
