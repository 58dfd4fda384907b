// How messages get from rank to rank: what the runtime asks of a transport.
#pragma once

#include <memory>
#include <utility>

#include "runtime/buffer.hpp"
#include "runtime/node_numbers.hpp"

namespace goodsyard::runtime {

/// Called once a message or less often, never once an item, and only from the stack of the rank itself.
class Transport {
  public:
    explicit Transport(std::size_t buffer_bytes) : Transport(std::make_shared<BufferPool>(buffer_bytes)) {}
    /// One of several that hand the same buffers on.
    explicit Transport(std::shared_ptr<BufferPool> pool) : owner_(std::move(pool)), pool_(*owner_) {}
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Consecutive ranks that are a node; all are one unless a transport knows better.
    [[nodiscard]] virtual int ranks_of_node() const { return size(); }

    /// Of the ranks of this one's node; without any where they share no memory, or where a rank that asks
    /// again and again would keep the others from going on.
    [[nodiscard]] virtual NodeNumbers numbers_of_node() { return {}; }

    /// Send `buffer` to rank `buffer.rank`, another one, and leave it empty; false, and nothing is done,
    /// where as many messages as are allowed are on their way.
    [[nodiscard]] virtual bool send(Buffer& buffer) = 0;

    /// Look once whether a message has arrived, and take it. Messages may overtake each other.
    [[nodiscard]] virtual bool receive(Buffer& buffer) = 0;

    /// Pass the time until something may have changed: a message may have arrived, or room for another be
    /// there.
    virtual void idle() = 0;

    /// Whether `idle_until` comes back in time, without being asked again and again.
    [[nodiscard]] virtual bool has_timers() const { return false; }
    /// The same, but not beyond a time.
    virtual void idle_until(double /*time_s*/) { idle(); }

    /// Of any beginning.
    [[nodiscard]] virtual double now_s() const = 0;

    /// To a runtime, which takes all that arrives. Returns whether no other one has it.
    [[nodiscard]] bool lend() { return !std::exchange(is_lent_, true); }
    void take_back() { is_lent_ = false; }

    /// Where buffers to be sent are taken from, and arrived ones given back.
    [[nodiscard]] BufferPool& pool() { return pool_; }

  protected:
    std::shared_ptr<BufferPool> owner_;
    BufferPool& pool_;

  private:
    bool is_lent_ = false;
};

} // namespace goodsyard::runtime
