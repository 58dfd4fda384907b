// Parts of an operation, timed apart, with counts beside their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "timing/clock.hpp"

namespace goodsyard {

/// What one rank did in one phase of one repetition.
struct PhaseValues {
    double time_s = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t operations = 0;
};

class Phases {
  public:
    explicit Phases(const Clock& clock) : clock_(clock) {}

    /// Add a phase, once, before the first run; the same on all ranks. Returns its number.
    std::size_t add(std::string name) {
        names_.push_back(std::move(name));
        current_.emplace_back();
        return names_.size() - 1;
    }

    /// Adds the time of a scope to a phase. A phase may be entered several times in a run, and inside of
    /// another, whose time then has its time too. Costs two readings of the clock.
    class Timed {
      public:
        Timed(const Timed&) = delete;
        Timed& operator=(const Timed&) = delete;
        ~Timed() { phases_.current_[phase_].time_s += phases_.clock_.now_s() - begin_s_; }

      private:
        friend class Phases;
        Timed(Phases& phases, std::size_t phase)
            : phases_(phases), phase_(phase), begin_s_(phases.clock_.now_s()) {}

        Phases& phases_;
        std::size_t phase_;
        double begin_s_;
    };
    [[nodiscard]] Timed time(std::size_t phase) { return {*this, phase}; }

    /// Count messages that this rank sent to others, and their bytes.
    void count_messages(std::size_t phase, std::uint64_t messages, std::uint64_t bytes) {
        current_[phase].messages += messages;
        current_[phase].bytes += bytes;
    }
    /// Count operations (comparisons, updates, …) of this rank.
    void count_operations(std::size_t phase, std::uint64_t operations) {
        current_[phase].operations += operations;
    }

    /// What was timed and counted since this was last called, phase by phase; the harness calls it between
    /// runs.
    std::vector<PhaseValues> take() {
        std::vector<PhaseValues> drained(current_.size());
        drained.swap(current_);
        return drained;
    }

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  private:
    const Clock& clock_;
    std::vector<std::string> names_;
    std::vector<PhaseValues> current_;
};

} // namespace goodsyard
