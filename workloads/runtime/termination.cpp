#include "runtime/termination.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/parameters.hpp"

namespace goodsyard::runtime {

Termination::Termination(Transport& transport, Queue<Buffer>& outbox)
    : transport_(transport), outbox_(outbox),
      parent_(transport.rank() == 0 ? -1 : (transport.rank() - 1) / 2),
      first_child_(2 * transport.rank() + 1), children_(std::clamp(transport.size() - first_child_, 0, 2)),
      missing_(1 + children_), balanced_(transport.size() == 1) {}

void Termination::look(const Tally& local, const std::string& saying) {
    looking_ = true;
    contribute(local, saying, false);
}

void Termination::leave(const Tally& local, const std::string& saying) {
    looking_ = true;
    contribute(local, saying, true);
}

void Termination::contribute(const Tally& local, const std::string& saying, bool leaves) {
    own_and_below_.add(local);
    if (heard_.empty() || (leaves && !some_leave_)) {
        heard_ = saying;
    }
    some_leave_ = some_leave_ || leaves;
    add_up();
}

bool Termination::has_looked() {
    if (!finished_) {
        return false;
    }
    finished_ = false;
    looking_ = false;
    // A rank alone sees at once what is left: to it, one sum is as good as two.
    const bool is_alone = parent_ < 0 && children_ == 0;
    const bool was_balanced = balanced_;
    balanced_ = sum_.sent == sum_.handled;
    ended_ = was_balanced && balanced_ && (is_alone || sum_.sent == sent_before_);
    if (ended_ || is_alone) {
        balanced_ = is_alone; // The next epoch begins from nothing.
    }
    sent_before_ = sum_.sent;
    return true;
}

void Termination::take(const Buffer& message) {
    Tally tally;
    std::memcpy(&tally, message.data(), sizeof tally);
    const std::string saying(reinterpret_cast<const char*>(message.data()) + sizeof tally,
                             message.size - sizeof tally);
    if (message.channel == up || message.channel == up_leaving) {
        contribute(tally, saying, message.channel == up_leaving);
    } else {
        finish(tally, saying, message.channel == down_leaving);
    }
}

void Termination::add_up() {
    if (--missing_ > 0) {
        return;
    }
    missing_ = 1 + children_;
    const Tally all = std::exchange(own_and_below_, {});
    const std::string heard = std::exchange(heard_, {});
    const bool some_leave = std::exchange(some_leave_, false);
    if (parent_ < 0) {
        finish(all, heard, some_leave);
    } else {
        send(parent_, some_leave ? up_leaving : up, all, heard);
    }
}

void Termination::finish(const Tally& sum, const std::string& saying, bool is_left) {
    for (int i = 0; i < children_; ++i) {
        send(first_child_ + i, is_left ? down_leaving : down, sum, saying);
    }
    sum_ = sum;
    said_ = saying;
    is_left_ = is_left;
    finished_ = true;
}

void Termination::send(int to, Direction direction, const Tally& tally, const std::string& saying) {
    Buffer message = transport_.pool().take();
    const std::size_t said = std::min(saying.size(), longest_item_bytes - sizeof tally);
    std::memcpy(message.data(), &tally, sizeof tally);
    std::memcpy(message.data() + sizeof tally, saying.data(), said);
    message.size = static_cast<std::uint32_t>(sizeof tally + said);
    message.rank = to;
    message.channel = direction;
    outbox_.push(std::move(message));
}

} // namespace goodsyard::runtime
