// Finding out that nothing is left to do on any rank, by counting what was sent and what was handled.
//
// A. B. Sinha, L. V. Kalé, B. Ramkumar: A dynamic and adaptive quiescence detection algorithm, UIUC PPL
// report 93-11, 1993; F. Mattern: Algorithms for distributed termination detection, Distributed Computing 2,
// 1987, DOI 10.1007/BF01782776, section 4 (four counters). A rank contributes to a sum when it has nothing to
// do. If two sums in a row, the second begun after the first was finished, find the same number of messages
// sent and handled, nothing has happened since the end of the first: what the second adds up is final.
//
// A rank that has contributed to such a second sum holds back what arrives: other ranks may have seen its
// result, and be in the next epoch.
//
// The sums go up and down a binary tree of ranks by messages of the same transport. A rank begins a sum only
// after it has seen the one before, so that these need no numbers, however they overtake each other.
#pragma once

#include <optional>
#include <string>

#include "runtime/queue.hpp"
#include "runtime/tally.hpp"
#include "runtime/transport.hpp"

namespace goodsyard::runtime {

class Termination {
  public:
    /// Channels of its own messages: those of others begin behind them.
    static constexpr int channels = 4;

    /// Messages to be sent are put into `outbox`.
    Termination(Transport& transport, Queue<Buffer>& outbox);

    /// A sum is on its way, to which this rank has contributed.
    [[nodiscard]] bool is_looking() const { return looking_; }
    /// And it may be the last.
    [[nodiscard]] bool holds() const { return looking_ && balanced_; }
    /// The next sum to which this rank contributes may be the last.
    [[nodiscard]] bool may_end() const { return balanced_; }

    /// Contribute to a sum, and say something: what one of the ranks that do has said, all learn with the
    /// sum.
    void look(const Tally& local, const std::string& saying);
    /// The same where this rank leaves, for good: no further sum will have its part. What it says goes before
    /// what others do.
    void leave(const Tally& local, const std::string& saying);
    /// Whether a rank has left with the last sum: what has been said is of such a one.
    [[nodiscard]] bool is_left() const { return is_left_; }
    /// Whether a sum has been finished that nobody has asked `has_looked` for yet.
    [[nodiscard]] bool is_finished() const { return finished_; }
    /// Whether a sum has been finished since this was last called.
    bool has_looked();
    /// The last sum, where it has found the end.
    [[nodiscard]] std::optional<Tally> ended() const { return ended_ ? std::optional(sum_) : std::nullopt; }

    /// The last sum.
    [[nodiscard]] const Tally& last() const { return sum_; }

    /// What some rank has said, at most so much as fits into a message.
    [[nodiscard]] const std::string& said() const { return said_; }

    /// A message of its channels has arrived.
    void take(const Buffer& message);

  private:
    enum Direction : int {
        up,
        down,
        up_leaving, ///< Some of the ranks that it adds up leave.
        down_leaving,
    };

    void contribute(const Tally& local, const std::string& saying, bool leaves);
    void add_up();
    void finish(const Tally& sum, const std::string& saying, bool is_left);
    void send(int to, Direction direction, const Tally& tally, const std::string& saying);

    Transport& transport_;
    Queue<Buffer>& outbox_;
    const int parent_; ///< -1 on rank 0.
    const int first_child_;
    const int children_;

    Tally own_and_below_; ///< Of this rank and of the children that have contributed.
    std::string heard_;   ///< From them.
    std::string said_;
    bool some_leave_ = false; ///< Of them.
    int missing_;             ///< This rank and the children that have not.
    bool looking_ = false;
    bool finished_ = false;
    Tally sum_;
    bool balanced_ = false; ///< In the sum before, as much was handled as was sent.
    bool ended_ = false;
    bool is_left_ = false;
    std::uint64_t sent_before_ = 0;
};

} // namespace goodsyard::runtime
