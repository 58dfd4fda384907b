// Ranks of one process in virtual time: the rank with the least clock runs next, so that every rank sees what
// it would see if all ran at once.
//
// K. M. Chandy, J. Misra: Distributed simulation: a case study in design and verification of distributed
// programs, IEEE TSE 5(5), 1979, DOI 10.1109/TSE.1979.230182. What a rank may still send arrives later than
// its clock by the least latency, the lookahead: a rank that is not further ahead may look for messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/ranks_of_a_process.hpp"
#include "harness/virtual_clock.hpp"
#include "runtime/buffer.hpp"
#include "runtime/fibre.hpp"
#include "runtime/queue.hpp"
#include "runtime/transport.hpp"
#include "virtual/arrivals.hpp"
#include "virtual/network.hpp"
#include "virtual/timetable.hpp"

namespace goodsyard::virtual_time {

/// What a rank sends and receives with.
struct TransportOfRank {
    /// Where messages to be sent are taken from, and where arrived ones are given back; null: none.
    runtime::BufferPool* pool = nullptr;
    int sends = 0;     ///< On their way, at most.
    int receives = 0;  ///< Posted in advance.
    bool looks = true; ///< Sees which sends have ended; else it is told by `note_ended_send`.
    const runtime::Transport* transport = nullptr; ///< Tells where its runtime waits; null: none.
};

class Ranks {
  public:
    /// Noise is drawn by `seed`. Raises UsageError where the ranks do not fit in the network.
    Ranks(Network network, int ranks, std::uint64_t seed = 1);
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    ~Ranks() { running_clock = nullptr; }

    /// Run `body` on each rank, to its end. Raises what one of them raises, and std::runtime_error where
    /// those that are left wait for ever.
    void run(const std::function<void(int rank)>& body);

    [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
    [[nodiscard]] const Network& network() const { return network_; }
    /// One of each rank, which those of its node read.
    [[nodiscard]] std::vector<std::atomic<std::uint64_t>>& numbers() { return numbers_; }
    /// The rank that runs.
    [[nodiscard]] int running() const { return running_; }
    [[nodiscard]] Places& places() { return places_; }
    /// Messages that were sent, and switches from rank to rank.
    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    [[nodiscard]] std::uint64_t switches() const { return switches_; }

    void set_transport(int rank, const TransportOfRank& transport);
    [[nodiscard]] bool has_transport(int rank) const {
        return ranks_[static_cast<std::size_t>(rank)].transport.transport != nullptr;
    }

    // What follows is called by the rank that runs, on its own stack.

    /// Send to `message.rank`, and leave it empty; false where as many as are allowed are on their way.
    bool send(runtime::Buffer& message);
    /// Take what has arrived first, if anything has.
    bool receive(runtime::Buffer& message);
    /// Learn of a send that has ended, if any has.
    bool note_ended_send();
    /// Wait for a message, for a send to end (where the rank is told so, or had no room), or until a time.
    void wait(double until_s = Timetable::never);
    /// Wait until all ranks have come, and for so long after the last one.
    void meet(double for_s);

  private:
    /// A message of rank `message.rank`, by one of its sends.
    struct Unmatched {
        std::size_t send = 0;
        runtime::Buffer message = {};
    };
    struct Rank {
        explicit Rank(const VirtualClock& begin) : clock(begin) {}
        VirtualClock clock;
        runtime::Queue<Arrival> arrived; ///< From other nodes: its port is passed one after the other.
        Arrivals arrived_inside;         ///< From its own.
        TransportOfRank transport;
        std::vector<double> sends_s;     ///< When each of its sends ends; negative: the rank knows it has.
        std::size_t free_send = 0;       ///< One of them that has.
        runtime::Queue<double> posted_s; ///< Since when receives are there for synchronous messages.
        runtime::Queue<Unmatched> unmatched; ///< Synchronous messages without one.
        bool lacks_room = false;
        bool is_waiting = false;  ///< For messages.
        double inside_free_s = 0; ///< When it can send inside of its node again.
        const char* waits_for = nullptr;
        std::unique_ptr<runtime::Fibre> fibre;
    };
    /// Of a node.
    struct Port {
        double out_free_s = 0;
        double in_free_s = 0;
        Arrivals arriving; ///< By the time at which they come to it.
    };

    [[nodiscard]] Rank& rank() { return ranks_[static_cast<std::size_t>(running_)]; }
    [[nodiscard]] std::size_t port_actor(int node) const {
        return ranks_.size() + static_cast<std::size_t>(node);
    }
    [[nodiscard]] double noise_s() {
        return network_.message_noise_s > 0 ? network_.message_noise_s * exponential(random_, started_) : 0;
    }
    [[nodiscard]] bool is_synchronous(const runtime::Buffer& message) const {
        return message.size >= network_.synchronous_from_bytes;
    }
    /// When the first of what is there, or on its way inside of the node, arrives at the rank.
    [[nodiscard]] static double next_arrival_s(Rank& local);
    /// Whether one of the rank's sends has ended by now.
    [[nodiscard]] static bool find_free_send(Rank& local);
    /// Whether the end of a send ends a wait of a rank.
    [[nodiscard]] static bool awaits_sends(const Rank& local) {
        return local.lacks_room || !local.transport.looks;
    }
    /// Let a message leave, at `from_s` or when the sender's port is free.
    void start(int to, Unmatched&& sent, double from_s);
    void note_sent(int rank, std::size_t send, double until_s);
    /// Let messages that have come to a port pass it.
    void pass_port(int node, double until_s);
    void suspend(double until_s, const char* waits_for);
    /// Let all go first that are behind the rank.
    void await_turn();
    void resume(std::size_t rank);
    [[nodiscard]] std::string deadlock() const;

    Network network_;
    Random random_;
    double lookahead_s_;
    runtime::StackPool stacks_;
    Places places_;
    std::vector<Port> ports_;
    Timetable timetable_; ///< Of ranks, and behind them ports.
    std::vector<std::atomic<std::uint64_t>> numbers_;
    int running_ = -1;
    int left_ = 0;
    double last_s_ = 0;
    int came_ = 0;
    double met_s_ = 0;
    std::vector<int> met_;
    std::uint64_t messages_ = 0;
    std::uint64_t started_ = 0;
    std::uint64_t switches_ = 0;
    std::vector<Rank> ranks_; ///< Given up first: what their frames hold refers to the rest.
};

} // namespace goodsyard::virtual_time
