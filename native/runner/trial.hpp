// A trial with what belongs to it: prepare, the measured program, what it left behind, cleanup.
#pragma once

#include <cstdint>
#include <optional>

#include "capture.hpp"
#include "digest.hpp"
#include "execution.hpp"
#include "host_settings.hpp"
#include "launch_store.hpp"
#include "plain_file.hpp"
#include "private_network.hpp"
#include "private_root.hpp"
#include "process_tree.hpp"
#include "record_frame.hpp"
#include "surroundings.hpp"
#include "trial_group.hpp"

namespace steelyard {

enum class TrialEnd : std::uint8_t {
    finished,   ///< the frame is ready to be journalled, whatever its status
    stopped,    ///< on request; nothing is to be journalled
    bad_launch, ///< `problem()` says what is wrong with a definition
    cannot_end, ///< processes that could not be ended
};

class TrialRunner {
  public:
    TrialRunner(LaunchStore& launches, const char* undo_path) : launches_(launches), host_(undo_path) {}

    /// 0 or errno.
    int initialise();

    /// Runs a trial. Its frame stays valid until the next call.
    TrialEnd run_trial(std::uint64_t trial, std::uint32_t launch);

    /// Runs an untimed command of a block. What it leaves running lives on until the runner ends.
    TrialEnd run_hook(std::uint32_t launch, Purpose purpose = Purpose::block);

    /// The finished trial, or the hook that failed.
    [[nodiscard]] const TrialFrame& frame() const { return frame_; }
    [[nodiscard]] const char* problem() const { return problem_; }

    /// Lets go of directories, files and launches while there is nothing to do.
    void release();

    /// Ends all that hooks left running, and puts back what was changed on the host.
    void end_everything();

  private:
    /// A launch, and the memory that it points into.
    struct Loaded {
        std::optional<std::uint32_t> id;
        Launch launch{};
        Arena arena;
    };

    /// Nothing is read again for a launch that follows itself. False where `problem_` says what is wrong.
    bool load(std::uint32_t id, std::uint64_t trial, Loaded& loaded);
    /// Lets go of the frame before.
    void begin();
    TrialEnd run_with_hooks();
    SetupFailure separate(const Launch& launch);
    int rejoin();
    TrialEnd run_program();
    TrialEnd run_all(const std::uint32_t* hooks, std::uint32_t count, Purpose purpose);
    TrialEnd run_one(std::uint32_t hook, Purpose purpose);
    void note_failed_hook(std::uint32_t hook, const Record& record);
    void note_outputs(const Launch& launch);
    int empty_metrics();
    void refuse_metrics(int error);
    void note_metrics();
    void watch_files();
    void note_digests();
    void close_metrics();
    [[nodiscard]] bool failed() const { return frame_.record.status != Status::ok; }

    LaunchStore& launches_;
    Surroundings surroundings_;
    HostSettings host_;
    Captures captures_;      ///< of the measured program, or of the hook that failed
    Captures hook_captures_; ///< of other hooks, so that cleanup does not overwrite what the program said
    bool swapped_ = false;   ///< the two pairs, until the next trial or hook
    KeptProcesses kept_;
    TrialGroup group_;       ///< of the measured program; hooks are not in it
    PrivateNetwork network_; ///< of a trial with all its hooks, as the root
    PrivateRoot root_;
    Loaded program_;
    Loaded hook_;
    TrialFrame frame_;
    CounterValue values_[LaunchLimits::counters] = {};
    HeldDirectory metrics_directory_;
    int metrics_fd_ = -1;
    WatchedFile watched_[LaunchLimits::files];
    Digest digests_[2 + LaunchLimits::files];
    const char* problem_ = nullptr;
};

} // namespace steelyard
