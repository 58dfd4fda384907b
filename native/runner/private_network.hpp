// A network without devices but its own loopback: nothing outside is reached, and nothing of the host
// listens.
#pragma once

namespace steelyard {

class PrivateNetwork {
  public:
    PrivateNetwork() = default;
    PrivateNetwork(const PrivateNetwork&) = delete;
    PrivateNetwork& operator=(const PrivateNetwork&) = delete;
    ~PrivateNetwork();

    /// Moves this process there; the namespace is made at the first call and kept for the next ones, because
    /// the kernel takes milliseconds to take one apart. 0 or errno; EPERM without CAP_SYS_ADMIN.
    int enter();

    /// Moves it back. 0 or errno; it must not go on with anything else then.
    int leave();

  private:
    int create();

    int host_fd_ = -1;
    int own_fd_ = -1;
    bool is_inside_ = false;
};

} // namespace steelyard
