// What the runtime knows of a channel.
#pragma once

#include <cstdint>
#include <string>

#include "harness/unwound.hpp"
#include "runtime/buffer.hpp"
#include "runtime/counters.hpp"

namespace goodsyard::runtime {

class Mailbox {
  public:
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    virtual ~Mailbox() = default;

    /// Handle the items of a message.
    virtual void deliver(const Buffer& message) = 0;
    /// Send what is not sent yet.
    virtual void flush(Flush reason) = 0;
    /// Send what was begun before a time.
    virtual void flush_older(double than_s) = 0;
    /// When the oldest of what is not sent was begun; infinite where nothing is.
    [[nodiscard]] virtual double oldest_since_s() const = 0;
    /// Whether there is anything that is not sent yet.
    [[nodiscard]] virtual bool has_unsent() const = 0;
    /// Forget what was sent: an epoch has ended.
    virtual void end_epoch() = 0;
    /// Items that were sent since the last epoch ended: as long as no other one has, nobody is known to have
    /// handled them.
    [[nodiscard]] virtual std::uint64_t unhandled() const = 0;
    /// What it is, and where the program makes it, for people: the same on all ranks.
    [[nodiscard]] virtual std::string name() const = 0;

    [[nodiscard]] const Unwound& unwound() const { return unwound_; }

    /// Let its messages be handled outside of epochs too. On all ranks.
    virtual void admit_outside() { is_handled_outside_ = true; }
    [[nodiscard]] bool is_handled_outside() const { return is_handled_outside_; }

  private:
    Unwound unwound_;
    bool is_handled_outside_ = false;
};

} // namespace goodsyard::runtime
