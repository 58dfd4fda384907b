// The messages of a channel that were begun and not sent, in the order in which they were begun.
#pragma once

#include <vector>

#include "runtime/buffer.hpp"

namespace goodsyard::runtime {

class OpenMessages {
  public:
    explicit OpenMessages(std::size_t ranks) : messages_(ranks) {}

    [[nodiscard]] bool any() const { return first_ != none; }
    [[nodiscard]] int oldest() const { return first_; }
    [[nodiscard]] double oldest_since_s() const { return at(first_).since_s; }

    const Buffer& open(int rank, Buffer&& buffer, double now_s) {
        Open& message = at(rank);
        message = {std::move(buffer), now_s, last_, none};
        (last_ == none ? first_ : at(last_).after) = rank;
        last_ = rank;
        return message.buffer;
    }
    Buffer close(int rank) {
        Open& message = at(rank);
        (message.before == none ? first_ : at(message.before).after) = message.after;
        (message.after == none ? last_ : at(message.after).before) = message.before;
        return std::move(message.buffer);
    }

  private:
    static constexpr int none = -1;
    struct Open {
        Buffer buffer;
        double since_s = 0;
        int before = none; ///< The rank whose message was begun before, and after, this.
        int after = none;
    };
    [[nodiscard]] Open& at(int rank) { return messages_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const Open& at(int rank) const { return messages_[static_cast<std::size_t>(rank)]; }

    std::vector<Open> messages_;
    int first_ = none;
    int last_ = none;
};

} // namespace goodsyard::runtime
