#include "runtime/fibre.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace workloads::runtime {

// Its functions of C alone, not its class `fiber`: inline code that differs by NDEBUG would also meet that of
// a program which uses Boost.Context itself.
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace switching {

#ifdef __SANITIZE_ADDRESS__
inline void start(void** fake_stack, const void* bottom, std::size_t bytes) {
    __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
inline void finish(void* fake_stack, const void** bottom, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
}
/// First frames never return, and what is marked in them stays marked: for whatever the memory is used or
/// mapped as next.
inline void forget(const Stack& stack) {
    __asan_unpoison_memory_region(stack.bottom, stack.bytes);
}
#else
inline void start(void** /*fake_stack*/, const void* /*bottom*/, std::size_t /*bytes*/) {}
inline void finish(void* /*fake_stack*/, const void** /*bottom*/, std::size_t* /*bytes*/) {}
inline void forget(const Stack& /*stack*/) {}
#endif

} // namespace switching

/// While the fibre is suspended; left when it is resumed, or unwound.
class Fibre::Away {
  public:
    explicit Away(Fibre& fibre) : fibre_(fibre) {
        switching::start(&fake_stack_, fibre.outside_bottom_, fibre.outside_bytes_);
    }
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;
    ~Away() { switching::finish(fake_stack_, &fibre_.outside_bottom_, &fibre_.outside_bytes_); }

  private:
    Fibre& fibre_;
    void* fake_stack_ = nullptr;
};

struct Fibre::Switches {
    /// The first frame of a stack, which the last jump leaves: it has nothing to return to.
    [[noreturn]] static void begin(transfer_t from) {
        auto& fibre = *static_cast<Fibre*>(from.data);
        fibre.outside_ = from.fctx;
        fibre.live();
        jump_fcontext(fibre.outside_, nullptr);
        std::terminate(); // Nobody resumes a fibre that has ended.
    }
};

Fibre::Fibre(const Stack& stack, std::function<void()> body)
    : inside_(
          make_fcontext(static_cast<std::byte*>(stack.bottom) + stack.bytes, stack.bytes, &Switches::begin)),
      stack_(stack), body_(std::move(body)) {}

Fibre::~Fibre() {
    if (has_begun_ && !has_ended()) {
        is_given_up_ = true;
        enter();
    }
    switching::forget(stack_);
}

void Fibre::enter() {
    void* fake_stack = nullptr;
    switching::start(&fake_stack, stack_.bottom, stack_.bytes);
    const transfer_t back = jump_fcontext(inside_, this);
    inside_ = back.data == nullptr ? nullptr : back.fctx;
    switching::finish(fake_stack, nullptr, nullptr);
}

void Fibre::resume() {
    enter();
    if (error_) [[unlikely]] {
        std::rethrow_exception(std::exchange(error_, nullptr));
    }
}

void Fibre::suspend() {
    {
        const Away away(*this);
        outside_ = jump_fcontext(outside_, this).fctx;
    }
    if (is_given_up_) [[unlikely]] {
        // No std::exception: handlers of these would swallow it.
        throw Unwinding(); // NOLINT(bugprone-std-exception-baseclass)
    }
}

void Fibre::live() {
    has_begun_ = true;
    switching::finish(nullptr, &outside_bottom_, &outside_bytes_);
    try {
        body_();
    } catch (const Unwinding&) { // NOLINT(bugprone-empty-catch): its frames are all left.
    } catch (...) {
        error_ = std::current_exception();
    }
    switching::start(nullptr, outside_bottom_, outside_bytes_);
}

} // namespace workloads::runtime
