// Stacks that were overrun: a program that touches the page below one ends with a sentence.
#pragma once

#include <cstddef>

namespace goodsyard::runtime {

/// Stacks whose guard pages lie at equal distances.
struct GuardedStacks {
    const std::byte* first = nullptr; ///< Guard page.
    std::size_t stride = 0;           ///< From each to the next.
    std::size_t count = 0;
    std::size_t page_bytes = 0;
    std::size_t stack_bytes = 0;
    int rank = 0; ///< Negative: not known.
};

/// From here on, until `forget_guards` with the same first page. Faults elsewhere go to who handled them
/// before. The thread that calls this gets a stack for signals where it has none.
void watch_guards(const GuardedStacks& stacks);
void forget_guards(const std::byte* first);

} // namespace goodsyard::runtime
