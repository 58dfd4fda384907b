// Digests of all that a program wrote, taken after its end: to its two streams, and to files that a launch
// names.
#pragma once

#include <cstdint>
#include <ctime>
#include <sys/types.h>

#include "sha256.hpp"

namespace steelyard {

enum class DigestState : std::uint8_t {
    missing = 0,   ///< no such file, or it cannot be read
    whole = 1,     ///< of every byte
    too_long = 2,  ///< more than `digest_limit_bytes`
    unwritten = 3, ///< there is such a file, and this run did not write it
    not_plain = 4, ///< something else has its name; the first byte is the kind, as NotPlain has it
};

/// As it stands in a frame.
struct Digest {
    DigestState state = DigestState::missing;
    Sha256::Digest sha256{};
};
static_assert(sizeof(Digest) == 33);

/// A second or so of work, and of memory for a stream that is held in it.
inline constexpr std::uint64_t digest_limit_bytes = std::uint64_t{256} << 20U;

/// Of the first `bytes` bytes of an open file, from its start.
Digest digest_file(int fd, std::uint64_t bytes);

/// One file before a run, so that it can be told afterwards whether the run wrote it.
class WatchedFile {
  public:
    /// Sets its time of modification back by a nanosecond: a write sets it anew, even in the same tick of the
    /// kernel's clock.
    void watch(const char* path);

    Digest digest(const char* path) const;

  private:
    bool watched_ = false;
    ino_t inode_ = 0;
    timespec modified_{};
};

} // namespace steelyard
