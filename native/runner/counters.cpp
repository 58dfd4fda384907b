#include "counters.hpp"

#include "number_file.hpp"

#include <cstdint>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace steelyard {

namespace {

int open_event(const CounterRequest& request) {
    const bool of_machine = request.source == CounterSource::machine;
    const bool user_only = request.source == CounterSource::process_user;
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = request.type;
    event.config = request.config;
    event.config1 = request.config1;
    event.config2 = request.config2;
    event.disabled = of_machine ? 0 : 1;
    event.inherit = of_machine ? 0 : 1;
    event.enable_on_exec = of_machine ? 0 : 1;
    event.exclude_kernel = user_only ? 1 : 0;
    event.exclude_hv = user_only ? 1 : 0;
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const pid_t pid = of_machine ? -1 : 0;
    const int cpu = of_machine ? static_cast<int>(request.cpu) : -1;
    return static_cast<int>(syscall(SYS_perf_event_open, &event, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

int open_source(const CounterRequest& request) {
    switch (request.source) {
    case CounterSource::energy_file:
        return open(request.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    case CounterSource::group_cpu:
    case CounterSource::group_memory:
        return -1; // the group is the trial's
    case CounterSource::process:
    case CounterSource::process_user:
    case CounterSource::machine:
        break;
    }
    return open_event(request);
}

/// Whether it counts on from trial to trial, so that a trial is the difference of two readings.
bool counts_on(const CounterRequest& request) {
    return request.source == CounterSource::machine || request.source == CounterSource::energy_file;
}

bool read_now(const CounterRequest& request, int fd, EventReading& reading) {
    if (request.source == CounterSource::energy_file) {
        return fd >= 0 && read_number(fd, "", reading.value);
    }
    return fd >= 0 && read(fd, &reading, sizeof reading) == sizeof reading;
}

} // namespace

CounterValue count_between(const EventReading& before, const EventReading& after) {
    const std::uint64_t running_ns = after.running_ns - before.running_ns;
    if (running_ns == 0) {
        return {0.0, false};
    }
    const double share =
        static_cast<double>(after.enabled_ns - before.enabled_ns) / static_cast<double>(running_ns);
    return {static_cast<double>(after.value - before.value) * share, true};
}

std::uint64_t count_since(std::uint64_t before, std::uint64_t after, std::uint64_t range) {
    return after >= before ? after - before : after + (range - before);
}

Counters::Counters(const Launch& launch)
    : requests_(launch.counters), count_(launch.counter_count), fds_{}, before_{}, has_before_{} {
    for (std::size_t i = 0; i < count_; ++i) {
        fds_[i] = open_source(requests_[i]);
    }
    // Last, so that what it takes to open others is not counted.
    for (std::size_t i = 0; i < count_; ++i) {
        has_before_[i] = counts_on(requests_[i]) && read_now(requests_[i], fds_[i], before_[i]);
    }
}

Counters::~Counters() {
    for (std::size_t i = 0; i < count_; ++i) {
        if (fds_[i] >= 0) {
            close(fds_[i]);
        }
    }
}

CounterValue Counters::read_one(std::size_t at, const TrialGroup& group) const {
    const CounterRequest& request = requests_[at];
    EventReading now{};
    std::uint64_t count = 0;
    bool available = false;
    switch (request.source) {
    case CounterSource::process:
    case CounterSource::process_user:
        return read_now(request, fds_[at], now) ? count_between({}, now) : CounterValue{0.0, false};
    case CounterSource::machine:
        available = has_before_[at] && read_now(request, fds_[at], now);
        return available ? count_between(before_[at], now) : CounterValue{0.0, false};
    case CounterSource::energy_file:
        available = has_before_[at] && read_now(request, fds_[at], now);
        count = count_since(before_[at].value, now.value, request.config);
        break;
    case CounterSource::group_cpu:
        available = group.read_cpu_us(count);
        break;
    case CounterSource::group_memory:
        available = group.read_peak_bytes(count);
        break;
    }
    return {static_cast<double>(count), available};
}

void Counters::read(CounterValue* values, const TrialGroup& group) const {
    for (std::size_t i = 0; i < count_; ++i) {
        const CounterValue value = read_one(i, group);
        values[i] = {value.available ? value.value * requests_[i].scale : 0.0, value.available};
    }
}

} // namespace steelyard
