#include "launch_store.hpp"

#include "order_pipe.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace steelyard {

namespace {

std::span<char* const> own_environment() {
    std::size_t count = 0;
    while (environ[count] != nullptr) {
        ++count;
    }
    return {environ, count};
}

struct Place {
    std::uint64_t at;
    std::uint64_t bytes;
};

} // namespace

int LaunchStore::create() {
    texts_fd_ = memfd_create("launches", MFD_CLOEXEC);
    places_fd_ = memfd_create("launch-places", MFD_CLOEXEC);
    return texts_fd_ < 0 || places_fd_ < 0 ? errno : 0;
}

int LaunchStore::define(std::uint32_t id, std::uint64_t bytes, int orders) {
    if (id != count_) {
        return EPROTO;
    }
    if (const int error = move_to_file(orders, texts_fd_, bytes); error != 0) {
        return error;
    }
    const Place place{end_, bytes};
    if (write(places_fd_, &place, sizeof place) != sizeof place) {
        return errno;
    }
    end_ += bytes;
    ++count_;
    return 0;
}

int LaunchStore::clear() {
    end_ = 0;
    count_ = 0;
    for (const int fd : {texts_fd_, places_fd_}) {
        if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
            return errno;
        }
    }
    return 0;
}

const char* LaunchStore::load(std::uint32_t id, Launch& launch, Arena& arena) const {
    Place place{};
    if (id >= count_ ||
        pread(places_fd_, &place, sizeof place, static_cast<off_t>(id * sizeof place)) != sizeof place) {
        return "a launch that was never defined";
    }
    // Pointers first, where they are aligned.
    const std::span<char* const> inherited = own_environment();
    const std::size_t pointers = pointer_space(place.bytes, inherited.size());
    const std::span<char> memory = arena.take(pointers + place.bytes);
    if (memory.empty()) {
        return "no memory for a launch";
    }
    const std::span<char> frame = memory.subspan(pointers);
    if (pread(texts_fd_, frame.data(), place.bytes, static_cast<off_t>(place.at)) !=
        static_cast<ssize_t>(place.bytes)) {
        return "a launch that cannot be read back";
    }
    return decode_launch(frame, inherited, memory.first(pointers), launch);
}

} // namespace steelyard
