// Settings of the host that some launches ask for, as files of /sys: read before they are changed, and put
// back to what was read. What was there is written to an undo journal before anything is changed. It is
// undone by the first of these: the runner, its guard after it, or the next runner on this machine.
#pragma once

#include "launch.hpp"

namespace steelyard {

/// Where the undo journal of this machine lies, unless the command line says otherwise. In /run, which a
/// restart empties, as it does away with the settings.
inline constexpr const char* default_undo_path = "/run/steelyard/undo";

class HostSettings {
  public:
    explicit HostSettings(const char* undo_path) : undo_path_(undo_path) {}
    ~HostSettings();
    HostSettings(const HostSettings&) = delete;
    HostSettings& operator=(const HostSettings&) = delete;

    /// Makes the settings of the launch, and puts back those of earlier launches that it does not name. 0 or
    /// errno; EBUSY while another runner has changed settings of this machine.
    int apply(const Launch& launch);

    /// Puts everything back.
    void restore();

  private:
    int begin();
    int change(const HostSetting& setting);

    const char* undo_path_;
    int undo_fd_ = -1;
    std::uint32_t active_ = 0; ///< settings of the last launch
};

/// Undoes what a runner left that was killed. Nothing where none did, or where it still runs.
void undo_leftovers(const char* undo_path);

} // namespace steelyard
