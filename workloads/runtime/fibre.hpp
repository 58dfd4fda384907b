// A stack of one's own, entered and left by Boost.Context, with what AddressSanitizer wants to be told.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "runtime/stack_pool.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace workloads::runtime {

namespace switching {

#ifdef __SANITIZE_ADDRESS__
inline void start(void** fake_stack, const void* bottom, std::size_t bytes) {
    __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
inline void finish(void* fake_stack, const void** bottom, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
}
/// Boost.Context's first frames never return, and what is marked in them stays marked: for whatever the
/// memory is used or mapped as next.
inline void forget(const Stack& stack) {
    __asan_unpoison_memory_region(stack.bottom, stack.bytes);
}
#else
inline void start(void** /*fake_stack*/, const void* /*bottom*/, std::size_t /*bytes*/) {}
inline void finish(void* /*fake_stack*/, const void** /*bottom*/, std::size_t* /*bytes*/) {}
inline void forget(const Stack& /*stack*/) {}
#endif

} // namespace switching

/// Its body must not let a thread of execution leave a `catch` block by `suspend`, nor swallow
/// boost::context::detail::forced_unwind, by which a suspended fibre that is given up is unwound.
class Fibre {
  public:
    /// `body` begins at the first `resume`, on `stack`, which outlives this.
    Fibre(const Stack& stack, std::function<void()> body) : stack_(stack), body_(std::move(body)) {
        inside_ = {std::allocator_arg, preallocated(), Kept{},
                   [this](boost::context::fiber&& outside) { return live(std::move(outside)); }};
    }
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;
    ~Fibre() {
        if (inside_) {
            void* fake_stack = nullptr;
            switching::start(&fake_stack, stack_.bottom, stack_.bytes);
            inside_ = boost::context::fiber();
            if (!has_begun_) {
                // Nothing of this has run that could have said that it came and left.
                switching::finish(nullptr, &outside_bottom_, &outside_bytes_);
                switching::start(nullptr, outside_bottom_, outside_bytes_);
            }
            switching::finish(fake_stack, nullptr, nullptr);
        }
        switching::forget(stack_);
    }

    /// Run on its stack until it suspends itself or ends. Raises what its body has raised.
    void resume() {
        void* fake_stack = nullptr;
        switching::start(&fake_stack, stack_.bottom, stack_.bytes);
        inside_ = std::move(inside_).resume();
        switching::finish(fake_stack, nullptr, nullptr);
        if (error_) [[unlikely]] {
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
    }
    /// Back to who resumed it; called on its own stack.
    void suspend() {
        const Away away(*this);
        outside_ = std::move(outside_).resume();
    }
    [[nodiscard]] bool has_ended() const { return !inside_; }
    /// Where its registers are kept while it is suspended, for prefetching: all that a boost::context::fiber
    /// is.
    [[nodiscard]] void* registers() const {
        static_assert(sizeof inside_ == sizeof(void*));
        void* place = nullptr;
        // A fiber is one pointer, of which its type says nothing.
        // NOLINTNEXTLINE(bugprone-undefined-memory-manipulation)
        std::memcpy(static_cast<void*>(&place), static_cast<const void*>(&inside_), sizeof place);
        return place;
    }

  private:
    /// The memory is the pool's.
    struct Kept {
        void deallocate(boost::context::stack_context& /*stack*/) {}
    };
    /// While the fibre is suspended; left when it is resumed, or unwound.
    class Away {
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
    /// Before the stack is left for the last time.
    struct Leaving {
        Fibre& fibre;
        ~Leaving() { switching::start(nullptr, fibre.outside_bottom_, fibre.outside_bytes_); }
    };

    [[nodiscard]] boost::context::preallocated preallocated() const {
        boost::context::stack_context context;
        context.size = stack_.bytes;
        context.sp = static_cast<std::byte*>(stack_.bottom) + stack_.bytes;
        return {context.sp, context.size, context};
    }
    boost::context::fiber live(boost::context::fiber&& outside) {
        has_begun_ = true;
        switching::finish(nullptr, &outside_bottom_, &outside_bytes_);
        outside_ = std::move(outside);
        const Leaving leaving{*this};
        try {
            body_();
        } catch (const boost::context::detail::forced_unwind&) {
            throw;
        } catch (...) {
            error_ = std::current_exception();
        }
        return std::move(outside_);
    }

    // What a switch touches comes first.
    boost::context::fiber inside_;
    boost::context::fiber outside_;
    std::exception_ptr error_;
    const void* outside_bottom_ = nullptr;
    std::size_t outside_bytes_ = 0;
    Stack stack_;
    std::function<void()> body_;
    bool has_begun_ = false;
};

} // namespace workloads::runtime
