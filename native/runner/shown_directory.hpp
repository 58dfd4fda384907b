// One directory shown under another name, to this process and its children only. The name of the working
// directory can so be of any length, and nothing of it is left when the last of them has ended, however that
// happens: the mount lives in a mount namespace of ours.
#pragma once

namespace steelyard {

class ShownDirectory {
  public:
    /// Shows `source` at `target`, an empty directory. 0 or errno; EPERM without the right to mount.
    int show(const char* source, const char* target);

    /// Takes back what `show` did. Nobody of ours may be in it any more.
    void hide();

    [[nodiscard]] bool is_shown() const { return shown_; }

  private:
    bool shown_ = false;
    char target_[4096] = {};
};

} // namespace steelyard
