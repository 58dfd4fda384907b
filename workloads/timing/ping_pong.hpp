// One burst of ping-pongs between two clocks, and what it says of their distance.
//
// A child reads its clock, sends; the parent answers with its own clock; the child reads again. The parent
// answered between the two readings, so parent - child lies between answered - received and answered - sent,
// whatever the two ways take. Every exchange narrows the bounds (Reussner, Sanders, Traeff: SKaMPI, 2002).
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace goodsyard {

/// One exchange, in seconds: the first and last on the child's clock, the middle one on the parent's.
struct Exchange {
    double sent_s = 0;
    double answered_s = 0;
    double received_s = 0;
};

/// What a burst found: at the child's time `at_s`, parent minus child is `offset_s` to within `half_width_s`.
struct OffsetBounds {
    double at_s = 0;
    double offset_s = 0;
    double half_width_s = 0;
};

/// The tightest bounds of `count` exchanges; `exchange()` makes one.
template <class MakeExchange>
OffsetBounds bound_offset(int count, MakeExchange&& exchange) {
    if (count < 1) {
        throw std::invalid_argument("a burst needs an exchange");
    }
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    double first_s = 0;
    double last_s = 0;
    for (int i = 0; i < count; ++i) {
        const Exchange one = exchange();
        low = std::max(low, one.answered_s - one.received_s);
        high = std::min(high, one.answered_s - one.sent_s);
        if (i == 0) {
            first_s = one.sent_s;
        }
        last_s = one.received_s;
    }
    // Clocks that drift during the burst can cross their bounds by some nanoseconds.
    const double half_width_s = std::max(0.0, (high - low) / 2);
    return {(first_s + last_s) / 2, (low + high) / 2, half_width_s};
}

} // namespace goodsyard
