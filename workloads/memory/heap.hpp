// Live heap of this process, counted at every allocation, those of the MPI library included.
#pragma once

namespace goodsyard {

struct Heap {
    long long live_bytes = 0;  ///< Usable sizes of what is allocated and not freed.
    long long allocations = 0; ///< Calls that gave memory, since the program started.
};

/// What is counted so far. The program's own malloc, free and the rest take the place of the C library's
/// everywhere, since a program's symbols come before those of its libraries.
Heap heap_now();

} // namespace goodsyard
