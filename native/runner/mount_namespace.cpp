#include "mount_namespace.hpp"

#include <cerrno>
#include <sched.h>
#include <sys/mount.h>

namespace steelyard {

int separate_mounts() {
    static bool is_separate = false;
    if (is_separate) {
        return 0;
    }
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
        return errno;
    }
    is_separate = true;
    return 0;
}

} // namespace steelyard
