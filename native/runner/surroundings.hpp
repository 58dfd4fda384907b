// What a child inherits from the runner. All of it is set on the runner itself before the clock is read, so
// that the timed region holds nothing but the start, the program and its end.
#pragma once

#include "capture.hpp"
#include "launch.hpp"
#include "record.hpp"
#include "shown_directory.hpp"

#include <cstdint>
#include <sys/resource.h>

namespace steelyard {

struct SetupFailure {
    Step step = Step::none;
    int error = 0;
};

class Surroundings {
  public:
    /// Reads what the runner was started with. 0 or errno.
    int initialise();

    /// Working directory, descriptors 0 to 2, ASLR, affinity, huge pages, limit of the stack. Each is read
    /// back where the kernel may accept and ignore it. The first failure ends it.
    SetupFailure apply(const Launch& launch, Captures& captures);

    /// Lets go of directories and files, so that an idle runner keeps no file system busy.
    void release();

  private:
    SetupFailure open_streams(const Launch& launch, Captures& captures);
    int duplicate(int fd, int target);
    int open_input(const char* path);
    int open_output(const char* path, int target);
    int replace(int target, int fd);
    int set_aslr(bool off);
    int set_affinity(const cpu_set_t& cpus);
    int set_huge_pages(bool off);
    int set_stack_limit(std::uint16_t mib);
    SetupFailure enter(const Launch& launch);

    int shown_as_[3] = {-1, -1, -1}; ///< which of the runner's files descriptors 0 to 2 are; -1: another one
    int null_fd_ = -1;
    int null_input_fd_ = -1;
    int initial_personality_ = 0;
    int personality_ = 0;
    cpu_set_t initial_affinity_{};
    cpu_set_t affinity_{};
    bool huge_pages_off_ = false;
    rlimit initial_stack_{};
    rlim_t stack_bytes_ = 0;
    ShownDirectory shown_;
};

} // namespace steelyard
