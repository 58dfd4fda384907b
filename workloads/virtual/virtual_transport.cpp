#include "virtual/virtual_transport.hpp"

#include <utility>

#include "harness/failure.hpp"

namespace goodsyard::virtual_time {

VirtualTransport::VirtualTransport(Ranks& ranks, const runtime::Parameters& parameters)
    : Transport(runtime::capacity_bytes(parameters)), ranks_(ranks), rank_(ranks.running()),
      looks_(parameters.idle != runtime::Idle::wait) {
    if (ranks_.has_transport(rank_)) {
        throw UsageError("in virtual time a rank has one transport at a time: end the first before it makes "
                         "another");
    }
    ranks_.set_transport(rank_, {&pool_, parameters.sends, parameters.receives, looks_, this});
}

VirtualTransport::~VirtualTransport() {
    ranks_.set_transport(rank_, {});
}

bool VirtualTransport::receive(runtime::Buffer& buffer) {
    if (looks_) {
        running_clock->advance(ranks_.network().look_s);
        return ranks_.receive(buffer);
    }
    if (told_.empty()) {
        return false;
    }
    buffer = told_.pop();
    return true;
}

runtime::NodeNumbers VirtualTransport::numbers_of_node() {
    // Time passes for a rank that waits for others by looking: where looks take none, it would wait for ever.
    if (!looks_ || ranks_.network().look_s <= 0) {
        return {};
    }
    return runtime::numbers_of_node(ranks_.numbers(), rank_, ranks_of_node());
}

void VirtualTransport::idle_until(double time_s) {
    ranks_.wait(time_s);
    if (!looks_) {
        if (runtime::Buffer message; ranks_.receive(message)) {
            told_.push(std::move(message));
        } else {
            ranks_.note_ended_send();
        }
    }
}

} // namespace goodsyard::virtual_time
