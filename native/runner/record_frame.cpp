#include "record_frame.hpp"

namespace steelyard {

namespace {

struct __attribute__((packed)) CounterHead {
    double value;
    std::uint8_t available;
    std::uint8_t name_length;
};
static_assert(sizeof(CounterHead) == 10);

} // namespace

std::uint64_t body_bytes(const TrialFrame& frame) {
    const Record& record = frame.record;
    std::uint64_t bytes = sizeof record;
    for (std::uint32_t i = 0; i < record.counter_count; ++i) {
        bytes += sizeof(CounterHead) + frame.counters[i].name_length;
    }
    return bytes + record.stdout_kept + record.stderr_kept + record.metrics_kept +
           record.digest_count * sizeof(Digest);
}

void put_body(FrameWriter& writer, const TrialFrame& frame) {
    const Record& record = frame.record;
    writer.put_value(record);
    for (std::uint32_t i = 0; i < record.counter_count; ++i) {
        const CounterRequest& counter = frame.counters[i];
        writer.put_value(CounterHead{frame.values[i].value, frame.values[i].available,
                                     static_cast<std::uint8_t>(counter.name_length)});
        writer.put({counter.name, counter.name_length});
    }
    writer.put_file(frame.stdout_fd, record.stdout_kept);
    writer.put_file(frame.stderr_fd, record.stderr_kept);
    writer.put_file(frame.metrics_fd, record.metrics_kept);
    for (std::uint32_t i = 0; i < record.digest_count; ++i) {
        writer.put_value(frame.digests[i]);
    }
}

} // namespace steelyard
