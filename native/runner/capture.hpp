// Output is captured in a file of memory, not in a pipe: a pipe must be drained while the subject runs, which
// wakes the observer, and blocks the subject when the observer is late.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steelyard {

class Capture {
  public:
    /// 0, or the errno of the kernel's refusal.
    int create(const char* name);

    /// Empties the file. A child shares the open file with us and may have changed its flags and its
    /// position, so both are set anew. 0 or errno.
    int reset();

    /// Gives back the memory behind the first `limit_bytes` and returns how much was written so far.
    std::uint64_t trim(std::uint64_t limit_bytes);

    /// How much was written by a child that has ended. Where that is nothing, and nobody lives who can write
    /// (`nobody_writes`), the next reset has less to do.
    std::uint64_t finish(bool nobody_writes);

    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_ = -1;
    std::uint64_t trimmed_to_ = 0;
    bool empty_ = false; ///< and its position is at the beginning
};

/// What the two output streams of a process are captured in.
struct Captures {
    Capture out;
    Capture err;
};

} // namespace steelyard
