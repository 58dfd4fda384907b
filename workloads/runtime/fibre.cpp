#include "runtime/fibre.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <type_traits>

// Of AddressSanitizer, where it is linked (sanitizer/common_interface_defs.h, asan_interface.h).
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): their names are the sanitizer's.
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* memory, std::size_t bytes);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace goodsyard::runtime {

namespace switching {

const bool is_sanitized = __sanitizer_start_switch_fiber != nullptr;

} // namespace switching

using boost::context::detail::transfer_t;
static_assert(sizeof(switching::Arrival) == sizeof(transfer_t) && std::is_trivially_copyable_v<transfer_t>);

struct Fibre::Beginning {
    /// The first frame of a stack, which the last jump leaves: it has nothing to return to.
    [[noreturn]] static void run(transfer_t from) {
        auto& fibre = *static_cast<Fibre*>(from.data);
        fibre.outside_ = from.fctx;
        fibre.run();
        switching::jump(fibre.outside_, nullptr);
        std::terminate(); // Nobody resumes a fibre that has ended.
    }
};

Fibre::Fibre(const Stack& stack, std::function<void()> body)
    : inside_(boost::context::detail::make_fcontext(static_cast<std::byte*>(stack.bottom) + stack.bytes,
                                                    stack.bytes, &Beginning::run)),
      stack_(stack), body_(std::move(body)) {}

Fibre::~Fibre() {
    if (has_begun_ && !has_ended()) {
        is_given_up_ = true;
        enter();
    }
    if (switching::is_sanitized) {
        // First frames never return, and what is marked in them stays marked: for whatever the memory is used
        // or mapped as next.
        __asan_unpoison_memory_region(stack_.bottom, stack_.bytes);
    }
}

void Fibre::run() {
    has_begun_ = true;
    if (switching::is_sanitized) {
        __sanitizer_finish_switch_fiber(nullptr, &outside_bottom_, &outside_bytes_);
    }
    try {
        body_();
    } catch (const Unwinding&) { // NOLINT(bugprone-empty-catch): its frames are all left.
    } catch (...) {
        error_ = std::current_exception();
    }
    if (switching::is_sanitized) {
        __sanitizer_start_switch_fiber(nullptr, outside_bottom_, outside_bytes_);
    }
}

void Fibre::enter_watched() {
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, stack_.bottom, stack_.bytes);
    return_from(jump(inside_));
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

void Fibre::suspend_watched() {
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, outside_bottom_, outside_bytes_);
    outside_ = jump(outside_).context;
    __sanitizer_finish_switch_fiber(fake_stack, &outside_bottom_, &outside_bytes_);
}

void Fibre::unwind() {
    // No std::exception: handlers of these would swallow it.
    throw Unwinding(); // NOLINT(bugprone-std-exception-baseclass)
}

} // namespace goodsyard::runtime
