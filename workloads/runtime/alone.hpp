// A rank alone: all its items go to itself.
#pragma once

#include <chrono>

#include "runtime/transport.hpp"

namespace goodsyard::runtime {

class AloneTransport final : public Transport {
  public:
    using Transport::Transport;
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] bool send(Buffer& /*buffer*/) override { return false; }
    [[nodiscard]] bool receive(Buffer& /*buffer*/) override { return false; }
    void idle() override {}
    [[nodiscard]] NodeNumbers numbers_of_node() override { return {&number_, {&number_}}; }
    [[nodiscard]] double now_s() const override {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

  private:
    std::atomic<std::uint64_t> number_{};
};

} // namespace goodsyard::runtime
