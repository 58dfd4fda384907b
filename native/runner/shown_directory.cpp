#include "shown_directory.hpp"

#include "mount_namespace.hpp"

#include <cerrno>
#include <cstring>
#include <sys/mount.h>

namespace steelyard {

int ShownDirectory::show(const char* source, const char* target) {
    const std::size_t length = std::strlen(target);
    if (length >= sizeof target_) {
        return ENAMETOOLONG;
    }
    if (const int error = separate_mounts(); error != 0) {
        return error;
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
