// Levels that the user's own commands have begun and that are still to be left: known here, so that the
// runner leaves them when Python cannot, and in a file beside the journal, so that the next run leaves them
// when both were killed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steelyard {

struct EnteredLevel {
    std::uint32_t level; ///< its place in the experiment
    std::uint32_t leave; ///< the launch that leaves it
};

class EnteredLevels {
  public:
    ~EnteredLevels();

    /// Names the file; it is made when the first level is entered.
    void place_beside(const char* journal_path);

    /// Writes down that a level begins, before it does. 0 or errno.
    int enter(const EnteredLevel& level);

    /// Writes down that a level was left. 0 or errno.
    int leave(std::uint32_t level);

    /// The one entered last; null where none is.
    [[nodiscard]] const EnteredLevel* last() const;

    /// Leaves out the last one; in the file too, if it `was_left`.
    void forget_last(bool was_left);

  private:
    int write_down();

    static constexpr std::size_t capacity = 64;
    EnteredLevel levels_[capacity] = {};
    std::size_t count_ = 0;
    std::uint32_t stuck_[capacity] = {}; ///< those that could not be left
    std::size_t stuck_count_ = 0;
    char path_[4096] = {};
    int fd_ = -1;
};

} // namespace steelyard
