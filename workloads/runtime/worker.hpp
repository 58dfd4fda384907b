// A fibre that runs the bodies of tasks, one after the other.
#pragma once

#include <cstdint>
#include <exception>

#include "runtime/fibre.hpp"

namespace goodsyard::runtime {

class Tasks;

/// Lies at the top of its own stack. A switch touches one line of it.
struct alignas(64) Worker {
    Worker(const Stack& stack, Tasks& owner) : fibre(stack, [this] { work(); }), tasks(&owner) {}

    bool has_waited = false; ///< Since it was entered for `body`: who entered it may have gone on.
    std::uint64_t task = 0;  ///< The number of the task that it runs; 0: none.
    const char* waits_for = nullptr;
    Fibre fibre;
    Tasks* tasks;
    std::exception_ptr error;
    void* body = nullptr;
    void (*run)(Worker& self, void* body) = nullptr;

  private:
    void work() {
        for (;;) {
            try {
                run(*this, body);
            } catch (const Unwinding&) {
                throw;
            } catch (...) {
                error = std::current_exception();
            }
            fibre.suspend();
        }
    }
};

} // namespace goodsyard::runtime
