// How the clocks of the ranks become one.
#pragma once

namespace goodsyard {

enum class ClockMethod : int {
    hca3,      ///< Offset and drift, by lines through several bursts of ping-pongs.
    offset,    ///< One burst: clocks that drift apart are not followed.
    one,       ///< All ranks read the same clock, as in a simulation or on one host with CLOCK_MONOTONIC.
    automatic, ///< `one` where that is so, `hca3` elsewhere.
};

} // namespace goodsyard
