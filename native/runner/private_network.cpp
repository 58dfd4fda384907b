#include "private_network.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace steelyard {

namespace {

constexpr const char* own_namespace = "/proc/self/ns/net";

/// Switches the loopback device of this namespace on. 0 or errno.
int start_loopback() {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno == EAFNOSUPPORT ? 0 : errno; // a kernel without that protocol has none to switch on
    }
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    int error = ioctl(fd, SIOCGIFFLAGS, &request) != 0 ? errno : 0;
    if (error == 0) {
        request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
        error = ioctl(fd, SIOCSIFFLAGS, &request) != 0 ? errno : 0;
    }
    close(fd);
    return error;
}

void release(int& fd) {
    if (fd >= 0) {
        close(fd);
    }
    fd = -1;
}

} // namespace

PrivateNetwork::~PrivateNetwork() {
    release(host_fd_);
    release(own_fd_);
}

int PrivateNetwork::enter() {
    if (own_fd_ < 0) {
        return create();
    }
    if (setns(own_fd_, CLONE_NEWNET) != 0) {
        return errno;
    }
    is_inside_ = true;
    return 0;
}

int PrivateNetwork::create() {
    release(host_fd_);
    host_fd_ = open(own_namespace, O_RDONLY | O_CLOEXEC);
    // First the way back: who has no rights to the network of the host could leave it, and not return.
    if (host_fd_ < 0 || setns(host_fd_, CLONE_NEWNET) != 0 || unshare(CLONE_NEWNET) != 0) {
        return errno;
    }
    is_inside_ = true;
    int error = start_loopback();
    if (error == 0) {
        own_fd_ = open(own_namespace, O_RDONLY | O_CLOEXEC);
        error = own_fd_ < 0 ? errno : 0;
    }
    return error;
}

int PrivateNetwork::leave() {
    if (is_inside_ && setns(host_fd_, CLONE_NEWNET) != 0) {
        return errno;
    }
    is_inside_ = false;
    return 0;
}

} // namespace steelyard
