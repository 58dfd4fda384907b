#include "reply.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace steelyard {

namespace {

enum class Kind : std::uint8_t { ready = 1, done = 2, stopped = 3, failed = 4 };

struct __attribute__((packed)) Head {
    std::uint32_t bytes; ///< of all that follows this field
    Kind kind;
};

struct __attribute__((packed)) Ready {
    std::uint32_t version;
    std::uint32_t pid;
    std::uint64_t own_peak_bytes;
    std::uint64_t journal_bytes;
    std::uint64_t cut_bytes;
};

struct __attribute__((packed)) Failed {
    Failure failure;
    std::uint32_t detail;
    std::int32_t error;
    std::uint64_t trials;
    std::uint64_t place;
};

/// A reply that cannot be written finds nobody to tell: Python is gone, and the guard sees that.
template <typename Body>
void send(int fd, Kind kind, const Body& body, std::string_view text) {
    FrameWriter writer(fd);
    writer.put_value(Head{static_cast<std::uint32_t>(1 + sizeof body + text.size()), kind});
    writer.put_value(body);
    writer.put({text.data(), text.size()});
    writer.finish();
}

} // namespace

void Replies::ready(const JournalOpening& journal) const {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    send(fd_, Kind::ready,
         Ready{version, static_cast<std::uint32_t>(getpid()),
               static_cast<std::uint64_t>(usage.ru_maxrss) * 1024, journal.offset, journal.cut_bytes},
         {});
}

void Replies::done(std::uint64_t trials) const {
    send(fd_, Kind::done, trials, {});
}

void Replies::stopped(std::uint64_t trials) const {
    send(fd_, Kind::stopped, trials, {});
}

void Replies::failed(Failure failure, std::uint32_t detail, int error, std::uint64_t trials,
                     std::uint64_t place, std::string_view text) const {
    send(fd_, Kind::failed, Failed{failure, detail, error, trials, place}, text);
}

void Replies::hook_failed(std::uint64_t trials, std::uint64_t entry, const TrialFrame& hook) const {
    FrameWriter writer(fd_);
    writer.put_value(Head{static_cast<std::uint32_t>(1 + sizeof(Failed) + body_bytes(hook)), Kind::failed});
    writer.put_value(Failed{Failure::hook, hook.record.hook, hook.record.error, trials, entry});
    put_body(writer, hook);
    writer.finish();
}

} // namespace steelyard
