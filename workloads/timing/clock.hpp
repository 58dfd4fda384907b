// The clock of this process: seconds since some start, read as cheaply as the machine allows.
//
// clock_gettime, and not MPI_Wtime, whose origin differs between the processes of some libraries. A simulator
// replaces both by the simulated time.
#pragma once

namespace goodsyard {

enum class Timer : int { monotonic, cycles };

class Clock {
  public:
    /// Raises std::runtime_error where the cycle counter is asked for and does not tick at one rate.
    explicit Clock(Timer timer);

    [[nodiscard]] double now_s() const;

    [[nodiscard]] Timer timer() const { return timer_; }

    /// Come back at `time_s` of this clock, as exactly as possible; at once if that is over. On an
    /// oversubscribed machine others run meanwhile, and the time is met less exactly.
    void wait_until(double time_s, bool oversubscribed) const;

    /// Mean cost of one reading, and the smallest step between two that differ.
    struct Facts {
        double cost_s = 0;
        double step_s = 0;
    };
    [[nodiscard]] Facts facts() const;

  private:
    Timer timer_;
    double cycle_s_ = 0;
    double origin_s_ = 0;
    unsigned long long origin_cycles_ = 0;
};

} // namespace goodsyard
