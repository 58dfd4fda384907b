#include "journal.hpp"

#include "clock.hpp"
#include "plain_file.hpp"
#include "stop.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace steelyard {

namespace {

struct FileHead {
    char magic[8];
    std::uint32_t version;
    std::uint32_t reserved;
};
static_assert(sizeof(FileHead) == 16);
constexpr FileHead file_head{{'S', 'L', 'Y', 'D', 'J', 'R', 'N', 'L'}, Journal::version, 0};

struct FrameHead {
    std::uint32_t magic;
    std::uint32_t body_bytes;
};
constexpr std::uint32_t frame_magic = 0x4C525459; // "YTRL"
constexpr std::uint64_t around_body_bytes = sizeof(FrameHead) + sizeof(std::uint32_t);

/// Exactly `size` bytes at `at`. False when the file has fewer.
bool read_at(int fd, std::uint64_t at, void* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got =
            pread(fd, static_cast<char*>(to) + done, size - done, static_cast<off_t>(at + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(got);
    }
    return true;
}

bool only_zeros(int fd, std::uint64_t from, std::uint64_t size) {
    char piece[4096];
    while (from < size) {
        const std::size_t count =
            static_cast<std::size_t>(std::min<std::uint64_t>(size - from, sizeof piece));
        if (!read_at(fd, from, piece, count) ||
            std::any_of(piece, piece + count, [](char c) { return c != 0; })) {
            return false;
        }
        from += count;
    }
    return true;
}

bool checksum_holds(int fd, std::uint64_t body_at, std::uint32_t body_bytes) {
    char piece[4096];
    Crc32 crc;
    for (std::uint32_t done = 0; done < body_bytes;) {
        const std::uint32_t count = std::min<std::uint32_t>(body_bytes - done, sizeof piece);
        if (!read_at(fd, body_at + done, piece, count)) {
            return false;
        }
        crc.add({piece, count});
        done += count;
    }
    std::uint32_t stored = 0;
    return read_at(fd, body_at + body_bytes, &stored, sizeof stored) && stored == crc.value();
}

/// The end of the last whole frame. What follows is either torn (the frame reaches to the end of the file or
/// past it, or nothing but zeros were left by a power cut) or damage in the middle.
JournalOpening scan(int fd, std::uint64_t size) {
    std::uint64_t at = sizeof(FileHead);
    while (at < size) {
        FrameHead head{};
        if (size - at < sizeof head || !read_at(fd, at, &head, sizeof head)) {
            return {JournalState::good, 0, at, size - at};
        }
        const std::uint64_t end = at + around_body_bytes + head.body_bytes;
        if (head.magic == frame_magic && end <= size &&
            checksum_holds(fd, at + sizeof head, head.body_bytes)) {
            at = end;
            continue;
        }
        if ((head.magic == frame_magic && end >= size) || only_zeros(fd, at, size)) {
            return {JournalState::good, 0, at, size - at};
        }
        return {JournalState::corrupt, 0, at, 0};
    }
    return {JournalState::good, 0, at, 0};
}

} // namespace

Journal::~Journal() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

JournalOpening Journal::open(const char* path) {
    // In /proc, where programs create nothing, is a file that Python has in memory.
    int fd = -1;
    if (std::string_view(path).starts_with("/proc/")) {
        fd = ::open(path, O_RDWR | O_APPEND | O_CLOEXEC);
        fd = fd < 0 ? -errno : fd;
    } else {
        fd = open_plain_path(path, O_RDWR | O_CREAT | O_APPEND, Links::not_to_last);
    }
    if (fd < 0) {
        return {JournalState::cannot_open, -fd, 0, 0};
    }
    fd_ = fd;
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        return {errno == EWOULDBLOCK ? JournalState::locked : JournalState::cannot_open, errno, 0, 0};
    }
    struct stat file{};
    if (fstat(fd_, &file) != 0) {
        return {JournalState::cannot_open, errno, 0, 0};
    }
    const auto size = static_cast<std::uint64_t>(file.st_size);

    FileHead head{};
    const std::size_t head_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof head));
    if (!read_at(fd_, 0, &head, head_bytes)) {
        return {JournalState::cannot_open, EIO, 0, 0};
    }
    const std::size_t magic_bytes = std::min(head_bytes, sizeof head.magic);
    const bool torn_head = (head_bytes < sizeof head && std::memcmp(&head, &file_head, magic_bytes) == 0) ||
                           only_zeros(fd_, 0, size);
    if (torn_head) { // new, or its writer died in its first write
        return begin(size);
    }
    if (std::memcmp(&head, &file_head, sizeof head.magic) != 0) {
        return {JournalState::not_a_journal, 0, 0, 0};
    }
    if (head.version != version) {
        return {JournalState::other_version, 0, head.version, 0};
    }

    const JournalOpening opening = scan(fd_, size);
    if (opening.state == JournalState::good && opening.cut_bytes > 0 &&
        ftruncate(fd_, static_cast<off_t>(opening.offset)) != 0) {
        return {JournalState::cannot_open, errno, 0, 0};
    }
    end_ = opening.offset;
    return opening;
}

JournalOpening Journal::begin(std::uint64_t old_bytes) {
    if (ftruncate(fd_, 0) != 0) {
        return {JournalState::cannot_open, errno, 0, 0};
    }
    FrameWriter writer(fd_);
    writer.put_value(file_head);
    int error = writer.finish();
    if (error == 0 && fdatasync(fd_) != 0) {
        error = errno;
    }
    end_ = sizeof file_head;
    return {error == 0 ? JournalState::good : JournalState::cannot_open, error, end_, old_bytes};
}

int Journal::append(const TrialFrame& frame) {
    const std::uint64_t bytes = body_bytes(frame);
    FrameWriter writer(fd_);
    const FrameHead head{frame_magic, static_cast<std::uint32_t>(bytes)};
    writer.put_unchecked({reinterpret_cast<const char*>(&head), sizeof head});
    put_body(writer, frame);
    const std::uint32_t checksum = writer.checksum();
    writer.put_unchecked({reinterpret_cast<const char*>(&checksum), sizeof checksum});
    const int error = writer.finish();
    if (error != 0) {
        if (ftruncate(fd_, static_cast<off_t>(end_)) != 0) {
            return error; // the torn frame stays, and the next opening cuts it off
        }
        return error;
    }
    end_ += around_body_bytes + bytes;
    return 0;
}

int Journal::mark_block_end() {
    const std::int64_t now_ns = monotonic_ns();
    if (now_ns - synced_ns_ < ns_per_s) {
        return 0;
    }
    synced_ns_ = now_ns;
    if (beyond_alarms([this] { return fdatasync(fd_); }) == 0) {
        return 0;
    }
    return errno == EINTR ? 0 : errno; // who stops does not wait for the disk
}

} // namespace steelyard
