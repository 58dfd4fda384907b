// The journal: a file that only grows, one checksummed frame for each trial, written before the next trial
// starts.
#pragma once

#include <cstdint>

#include "record_frame.hpp"

namespace steelyard {

enum class JournalState : std::uint8_t {
    good,
    cannot_open,   ///< errno says why
    locked,        ///< another runner appends to it
    not_a_journal, ///< some other file
    other_version, ///< written by a Steelyard that this one does not know
    corrupt,       ///< a frame that is not the last one fails its checksum; `offset` says where
};

struct JournalOpening {
    JournalState state = JournalState::good;
    int error = 0;
    std::uint64_t offset = 0;    ///< where the next frame goes, or where the damage is
    std::uint64_t cut_bytes = 0; ///< of a frame that was being written when its writer died
};

class Journal {
  public:
    static constexpr std::uint32_t version = 1;

    Journal() = default;
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Opens for appending and cuts off a last frame that is not whole. Reads all of it once.
    JournalOpening open(const char* path);

    /// 0 or errno; then nothing of the frame is left in the file.
    int append(const TrialFrame& frame);

    /// Makes what was written durable, at most once a second: an fdatasync cools the caches that the next
    /// trial starts with. 0 or errno.
    int mark_block_end();

  private:
    JournalOpening begin(std::uint64_t old_bytes);

    int fd_ = -1;
    std::uint64_t end_ = 0;
    std::int64_t synced_ns_ = 0;
};

} // namespace steelyard
