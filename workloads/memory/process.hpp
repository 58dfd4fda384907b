// Resident memory of this process, by who shares it.
#pragma once

namespace goodsyard {

/// Bytes; -1 where the kernel does not say.
struct Resident {
    double resident_bytes = -1; ///< Rss
    double proportional_bytes =
        -1; ///< Pss: shared pages divided by those who share them; falls as ranks are added.
    double private_bytes = -1; ///< Pages of nobody else.
};

/// From /proc/self/smaps_rollup (proc(5)).
Resident resident_now();

/// Resident pages of what this process maps as shared, exactly; -1 where the kernel does not say. Libraries
/// lay queues and shared objects there, and take them from a segment that was mapped in MPI_Init.
double shared_resident_now();

} // namespace goodsyard
