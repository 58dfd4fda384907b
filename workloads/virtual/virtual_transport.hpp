// Messages between ranks in virtual time.
#pragma once

#include "runtime/parameters.hpp"
#include "runtime/queue.hpp"
#include "runtime/transport.hpp"
#include "virtual/ranks.hpp"

namespace goodsyard::virtual_time {

/// Of the rank that runs. One that waits in MPI (`Idle::wait`) never looks: it learns what has arrived where
/// it has no room, or nothing else to do, one message at a time, as runtime::PointToPoint does.
class VirtualTransport final : public runtime::Transport {
  public:
    VirtualTransport(Ranks& ranks, const runtime::Parameters& parameters);
    ~VirtualTransport() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return ranks_.size(); }
    [[nodiscard]] int ranks_of_node() const override { return ranks_.network().ranks_of_node; }
    [[nodiscard]] runtime::NodeNumbers numbers_of_node() override;
    [[nodiscard]] bool send(runtime::Buffer& buffer) override { return ranks_.send(buffer); }
    [[nodiscard]] bool receive(runtime::Buffer& buffer) override;
    void idle() override { idle_until(Timetable::never); }
    [[nodiscard]] bool has_timers() const override { return true; }
    void idle_until(double time_s) override;
    [[nodiscard]] double now_s() const override { return running_clock->now_s(); }

  private:
    Ranks& ranks_;
    int rank_;
    bool looks_;
    runtime::Queue<runtime::Buffer> told_; ///< To a rank that waits in MPI.
};

} // namespace goodsyard::virtual_time
