#include "harness/input_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace goodsyard {

std::optional<std::string> unreadable(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    // Of a directory, the first byte that is read is refused.
    if (file && (std::fgetc(file.get()) != EOF || std::ferror(file.get()) == 0)) {
        return std::nullopt;
    }
    return "cannot be read: " + std::string(std::strerror(errno));
}

} // namespace goodsyard
