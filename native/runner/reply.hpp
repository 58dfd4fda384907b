// What the runner tells Python: a greeting, and one frame at the end of each batch. README.md here has the
// layout.
#pragma once

#include <cstdint>
#include <string_view>

#include "journal.hpp"
#include "record_frame.hpp"

namespace steelyard {

enum class Failure : std::uint8_t {
    protocol = 1,
    start = 2,
    journal_open = 3,
    journal_write = 4,
    hook = 5,
    cannot_end = 6,
};

class Replies {
  public:
    /// Of the frames that Python and the runner exchange; raised with every change of their layout.
    static constexpr std::uint32_t version = 2;

    explicit Replies(int fd) : fd_(fd) {}

    void ready(const JournalOpening& journal) const;
    void done(std::uint64_t trials) const;
    void stopped(std::uint64_t trials) const;
    /// `where` is the trial, the batch's entry or the journal's offset, as the failure has it.
    void failed(Failure failure, std::uint32_t detail, int error, std::uint64_t trials, std::uint64_t place,
                std::string_view text) const;
    void hook_failed(std::uint64_t trials, std::uint64_t entry, const TrialFrame& hook) const;

  private:
    int fd_;
};

} // namespace steelyard
