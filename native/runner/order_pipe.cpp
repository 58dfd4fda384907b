#include "order_pipe.hpp"

#include "stop.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace steelyard {

Reading read_exactly(int fd, void* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        if (stop_requested()) {
            return Reading::stopped;
        }
        const ssize_t got = read(fd, static_cast<char*>(to) + done, size - done);
        if (got > 0) {
            done += static_cast<std::size_t>(got);
        } else if (got == 0) {
            return done == 0 ? Reading::end : Reading::torn;
        } else if (errno != EINTR) {
            return Reading::torn;
        }
    }
    return Reading::whole;
}

int move_to_file(int pipe, int file, std::uint64_t size) {
    char piece[4096];
    while (size > 0) {
        const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof piece));
        if (read_exactly(pipe, piece, count) != Reading::whole) {
            return EPIPE;
        }
        for (std::size_t done = 0; done < count;) {
            const ssize_t wrote = write(file, piece + done, count - done);
            if (wrote < 0 && errno != EINTR) {
                return errno;
            }
            if (wrote > 0) {
                done += static_cast<std::size_t>(wrote);
            }
        }
        size -= count;
    }
    return 0;
}

} // namespace steelyard
