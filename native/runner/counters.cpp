#include "counters.hpp"

#include <cstdint>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace steelyard {

namespace {

int open_event(const CounterRequest& request) {
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = request.type;
    event.config = request.config;
    event.disabled = 1;
    event.inherit = 1;
    event.enable_on_exec = 1;
    event.exclude_kernel = request.user_only ? 1 : 0;
    event.exclude_hv = request.user_only ? 1 : 0;
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

} // namespace

Counters::Counters(const Launch& launch) : count_(launch.counter_count), fds_{} {
    for (std::size_t i = 0; i < count_; ++i) {
        fds_[i] = open_event(launch.counters[i]);
    }
}

Counters::~Counters() {
    for (std::size_t i = 0; i < count_; ++i) {
        if (fds_[i] >= 0) {
            close(fds_[i]);
        }
    }
}

void Counters::read(CounterValue* values) const {
    struct {
        std::uint64_t value, enabled_ns, running_ns;
    } reading{};
    for (std::size_t i = 0; i < count_; ++i) {
        values[i] = {0.0, false};
        if (fds_[i] < 0 || ::read(fds_[i], &reading, sizeof reading) != sizeof reading ||
            reading.running_ns == 0) {
            continue;
        }
        const double share =
            static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns);
        values[i] = {static_cast<double>(reading.value) * share, true};
    }
}

} // namespace steelyard
