// How messages get from rank to rank: what the runtime asks of a transport.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "harness/ending.hpp"
#include "harness/epoch_of_process.hpp"
#include "runtime/buffer.hpp"
#include "runtime/node_numbers.hpp"
#include "runtime/place.hpp"
#include "runtime/queue.hpp"

namespace goodsyard::runtime {

/// Called once a message or less often, never once an item, and only from the stack of the rank itself.
class Transport {
  public:
    explicit Transport(std::size_t buffer_bytes) : Transport(std::make_shared<BufferPool>(buffer_bytes)) {}
    /// One of several that hand the same buffers on.
    explicit Transport(std::shared_ptr<BufferPool> pool) : owner_(std::move(pool)), pool_(*owner_) {}
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() {
        if (is_lent_ && std::uncaught_exceptions() == 0) [[unlikely]] {
            end_program(lent_rank_,
                        "a transport ends before the runtime that uses it: end the runtime first");
        }
    }

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
    [[nodiscard]] bool lend() {
        lent_rank_ = rank();
        return !std::exchange(is_lent_, true);
    }
    void take_back() { is_lent_ = false; }
    /// What has come for the next runtime, whose ranks need not begin at the same time.
    void keep(Buffer&& message) { kept_.push(std::move(message)); }
    [[nodiscard]] bool has_kept() const { return !kept_.empty(); }
    [[nodiscard]] Buffer take_kept() { return kept_.pop(); }

    /// Where the runtime waits, if it does: what simulated ranks that wait for ever are told by. Both outlive
    /// the next call.
    void note_wait(const char* subject, const Place* place = nullptr) {
        wait_ = subject;
        wait_place_ = place;
        if (is_of_process_) {
            epoch_of_process = place;
        }
    }
    [[nodiscard]] std::string text_of_wait() const {
        return wait_place_ == nullptr ? wait_ : wait_ + (" at " + text_of(*wait_place_));
    }

    /// Where buffers to be sent are taken from, and arrived ones given back.
    [[nodiscard]] BufferPool& pool() { return pool_; }

  protected:
    /// Its rank is the process, not one of several in it.
    void note_is_of_process() { is_of_process_ = true; }
    std::shared_ptr<BufferPool> owner_;
    BufferPool& pool_;

  private:
    bool is_lent_ = false;
    int lent_rank_ = 0;
    bool is_of_process_ = false;
    Queue<Buffer> kept_;
    const char* wait_ = "without a runtime";
    const Place* wait_place_ = nullptr;
};

} // namespace goodsyard::runtime
