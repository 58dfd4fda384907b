#include "harness/last_words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace goodsyard {

void say_line(const std::string& text) {
    std::string line = text;
    line.erase(line.find_last_not_of(" \n") + 1);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    // Nobody can be told that stderr is closed.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string text_of(const std::exception& error) {
    // As libstdc++ refuses sizes that no memory has.
    const std::string text = error.what();
    const bool is_too_long = dynamic_cast<const std::length_error*>(&error) != nullptr &&
                             (text.starts_with("vector::") || text.starts_with("basic_string::") ||
                              text.starts_with("cannot create std::"));
    return is_too_long || dynamic_cast<const std::bad_alloc*>(&error) != nullptr
               ? "there is not enough memory: ask for less, or spread it over more hosts"
               : text;
}

bool has_last_word() {
    // Kept until the process ends.
    const int held = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (held < 0) {
        return true;
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "steelyard-failed-" + std::to_string(getuid()) + "-" + std::to_string(getppid());
    // A first byte of zero makes it abstract.
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return bind(held, reinterpret_cast<const sockaddr*>(&address), size) == 0 || errno != EADDRINUSE;
}

} // namespace goodsyard
