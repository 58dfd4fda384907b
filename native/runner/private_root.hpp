// A file system of a trial's own: all that it writes is gone after it. Each file system of the host is shown
// through an overlay (Linux 3.18) whose upper layer is memory; nothing is copied but what is written to.
//
// It keeps accidents from the host, not attackers: root can leave a chroot. /proc, /sys and /dev are the
// host's.
#pragma once

#include "arena.hpp"

namespace steelyard {

class PrivateRoot {
  public:
    PrivateRoot() = default;
    PrivateRoot(const PrivateRoot&) = delete;
    PrivateRoot& operator=(const PrivateRoot&) = delete;
    ~PrivateRoot();

    /// Makes such a file system, mounted at `stage`, an empty directory, and makes it the root of this
    /// process. 0 or errno; EPERM without CAP_SYS_ADMIN. After an error, too, `leave` is called.
    int enter(const char* stage);

    /// Goes back to the root of the host and unmounts. Files that are open stay readable. 0 or errno; it must
    /// not go on with anything else then.
    int leave();

  private:
    int host_root_fd_ = -1;
    Arena mounts_; ///< the list of those of the host
    bool is_mounted_ = false;
    char stage_[4096] = {};
};

} // namespace steelyard
