// The body that a record has in the journal and in a reply: fixed part, counters, outputs.
#pragma once

#include <cstdint>

#include "digest.hpp"
#include "frame_writer.hpp"
#include "launch.hpp"
#include "record.hpp"

namespace steelyard {

/// A record and where its variable parts are found. A descriptor is only read when its kept length is not 0.
struct TrialFrame {
    Record record;
    const CounterRequest* counters = nullptr; ///< `record.counter_count` of them
    const CounterValue* values = nullptr;
    const Digest* digests = nullptr; ///< `record.digest_count` of them
    int stdout_fd = -1;
    int stderr_fd = -1;
    int metrics_fd = -1;
};

std::uint64_t body_bytes(const TrialFrame& frame);

void put_body(FrameWriter& writer, const TrialFrame& frame);

} // namespace steelyard
