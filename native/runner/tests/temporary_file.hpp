// A file that goes with the test.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace steelyard::testing {

class TemporaryFile {
  public:
    TemporaryFile() {
        const int fd = mkstemp(path_);
        if (fd >= 0) {
            close(fd);
        }
    }
    ~TemporaryFile() { unlink(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] const char* path() const { return path_; }
    [[nodiscard]] std::string read() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  private:
    char path_[32] = "/tmp/steelyard-test-XXXXXX";
};

} // namespace steelyard::testing
