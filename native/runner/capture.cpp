#include "capture.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace steelyard {

int Capture::create(const char* name) {
    fd_ = memfd_create(name, MFD_CLOEXEC);
    return fd_ < 0 ? errno : 0;
}

int Capture::reset() {
    trimmed_to_ = 0;
    if (!empty_ && (ftruncate(fd_, 0) != 0 || lseek(fd_, 0, SEEK_SET) != 0)) {
        return errno;
    }
    empty_ = false; // for all that we know, from now on
    return fcntl(fd_, F_SETFL, O_APPEND) == 0 ? 0 : errno;
}

std::uint64_t Capture::finish(bool nobody_writes) {
    const off_t end = lseek(fd_, 0, SEEK_END);
    empty_ = end == 0 && nobody_writes;
    return end > 0 ? static_cast<std::uint64_t>(end) : 0;
}

std::uint64_t Capture::trim(std::uint64_t limit_bytes) {
    constexpr std::uint64_t worth_it = std::uint64_t{1} << 20U;
    struct stat file{};
    const std::uint64_t written = fstat(fd_, &file) == 0 ? static_cast<std::uint64_t>(file.st_size) : 0;
    const std::uint64_t from = trimmed_to_ > limit_bytes ? trimmed_to_ : limit_bytes;
    if (written > from && written - from >= worth_it) {
        fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                  static_cast<off_t>(written - from));
        // The last page may be half full: the next hole begins before it.
        trimmed_to_ = written - written % 4096;
    }
    return written;
}

} // namespace steelyard
