#include "shown_directory.hpp"

#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/mount.h>

namespace steelyard {

int ShownDirectory::show(const char* source, const char* target) {
    const std::size_t length = std::strlen(target);
    if (length >= sizeof target_) {
        return ENAMETOOLONG;
    }
    if (!apart_) {
        if (unshare(CLONE_NEWNS) != 0) {
            return errno;
        }
        // What the host mounts later is still seen here; what is mounted here is seen nowhere else.
        if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
            return errno;
        }
        apart_ = true;
    }
    if (mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) != 0) {
        return errno;
    }
    std::memcpy(target_, target, length + 1);
    shown_ = true;
    return 0;
}

void ShownDirectory::hide() {
    if (shown_) {
        umount2(target_, MNT_DETACH);
    }
    shown_ = false;
}

} // namespace steelyard
