#include "virtual/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace goodsyard::virtual_time {

namespace {

/// Of a rank: what is not touched takes none of it.
constexpr std::size_t stack_bytes = std::size_t{8} << 20U;

/// When a send has ended of which the rank knows that.
constexpr double known_s = -1;

/// Streams of random numbers: of messages, and of the work of each rank.
constexpr std::uint64_t message_stream = 1;
constexpr std::uint64_t work_stream = 1000;

double lookahead_of(const Network& network, int ranks) {
    double least_s = network.node(ranks - 1) > 0 ? network.outside.least_flight() : Timetable::never;
    if (network.ranks_of_node > 1) {
        least_s = std::min(least_s, network.inside.least_flight());
    }
    return ranks == 1 ? Timetable::never : least_s;
}

} // namespace

Ranks::Ranks(Network network, int ranks, std::uint64_t seed)
    : network_(std::move(network)), random_(seed, message_stream),
      lookahead_s_((check_fits(network_, ranks), lookahead_of(network_, ranks))), stacks_(stack_bytes),
      places_(static_cast<std::size_t>(ranks)),
      ports_(static_cast<std::size_t>(network_.node(ranks - 1) + 1)),
      timetable_(static_cast<std::size_t>(ranks) + ports_.size()), numbers_(static_cast<std::size_t>(ranks)) {
    ranks_.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        const Random work(seed, work_stream + static_cast<std::uint64_t>(rank));
        ranks_.emplace_back(VirtualClock(work, network_.work_noise));
    }
}

void Ranks::run(const std::function<void(int rank)>& body) {
    left_ = size();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].fibre =
            std::make_unique<runtime::Fibre>(stacks_.take(), [&body, rank] { body(static_cast<int>(rank)); });
        timetable_.set(rank, 0);
    }
    while (left_ > 0) {
        const std::size_t actor = timetable_.next();
        const double time_s = timetable_.next_s();
        if (time_s == Timetable::never) {
            throw std::runtime_error(deadlock());
        }
        last_s_ = time_s;
        if (actor < ranks_.size()) {
            resume(actor);
        } else {
            pass_port(static_cast<int>(actor - ranks_.size()), time_s);
        }
    }
}

void Ranks::resume(std::size_t rank) {
    Rank& next = ranks_[rank];
    next.clock.wait_until(timetable_.time_s(rank));
    timetable_.set(rank, Timetable::never);
    running_ = static_cast<int>(rank);
    running_clock = &next.clock;
    ++switches_;
    next.fibre->resume();
    running_clock = nullptr;
    running_ = -1;
    if (next.fibre->has_ended()) {
        --left_;
    }
}

void Ranks::suspend(double until_s, const char* waits_for) {
    Rank& local = rank();
    local.waits_for = waits_for;
    timetable_.set(static_cast<std::size_t>(running_), until_s);
    local.fibre->suspend();
    local.waits_for = nullptr;
}

void Ranks::await_turn() {
    if (timetable_.next_s() < rank().clock.now_s()) {
        suspend(rank().clock.now_s(), nullptr);
    }
}

std::string Ranks::deadlock() const {
    std::string text = "the ranks wait for ever after " + std::to_string(last_s_) + " s of virtual time:";
    int waiting = 0;
    constexpr int named = 3;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].fibre->has_ended()) {
            continue;
        }
        if (waiting++ < named) {
            const runtime::Transport* transport = ranks_[rank].transport.transport;
            text += (waiting > 1 ? ", rank " : " rank ") + std::to_string(rank) + " for " +
                    ranks_[rank].waits_for;
            if (transport != nullptr) {
                text += ", ";
                text += transport->text_of_wait();
            }
        }
    }
    return text + (waiting > named ? ", and " + std::to_string(waiting - named) + " more" : "");
}

void Ranks::set_transport(int rank, const TransportOfRank& transport) {
    Rank& local = ranks_[static_cast<std::size_t>(rank)];
    local.transport = transport;
    local.sends_s.assign(static_cast<std::size_t>(transport.sends), known_s);
    local.free_send = 0;
    local.posted_s = {};
    for (int i = 0; i < transport.receives; ++i) {
        local.posted_s.push(local.clock.now_s());
    }
}

bool Ranks::find_free_send(Rank& local) {
    const double before_s = local.transport.looks ? local.clock.now_s() : known_s;
    for (std::size_t looked = 0; looked < local.sends_s.size(); ++looked) {
        if (local.sends_s[local.free_send] <= before_s) {
            return true;
        }
        local.free_send = local.free_send + 1 == local.sends_s.size() ? 0 : local.free_send + 1;
    }
    return false;
}

bool Ranks::note_ended_send() {
    Rank& local = rank();
    for (double& ends_s : local.sends_s) {
        if (ends_s >= 0 && ends_s <= local.clock.now_s()) {
            ends_s = known_s;
            return true;
        }
    }
    return false;
}

bool Ranks::send(runtime::Buffer& message) {
    Rank& local = rank();
    if (!find_free_send(local)) {
        local.lacks_room = true;
        return false;
    }
    ++messages_;
    const int to = std::exchange(message.rank, running_);
    const bool is_inside = network_.node(to) == network_.node(running_);
    local.clock.advance((is_inside ? network_.inside : network_.outside).sending(message.size));
    const bool waits = is_synchronous(message);
    if (waits || (!is_inside && network_.ranks_of_node > 1)) {
        await_turn(); // Ranks of a node pass its port, and find receives, in the order of their times.
    }
    Unmatched sent{local.free_send, std::move(message)};
    if (!waits) {
        start(to, std::move(sent), local.clock.now_s());
        return true;
    }
    Rank& second = ranks_[static_cast<std::size_t>(to)];
    if (second.posted_s.empty()) {
        local.sends_s[local.free_send] = Timetable::never;
        second.unmatched.push(std::move(sent));
    } else {
        start(to, std::move(sent), std::max(local.clock.now_s(), second.posted_s.pop()));
    }
    return true;
}

void Ranks::note_sent(int rank, std::size_t send, double until_s) {
    Rank& sender = ranks_[static_cast<std::size_t>(rank)];
    if (send >= sender.sends_s.size()) {
        return; // It has no transport any more.
    }
    sender.sends_s[send] = until_s;
    if (sender.is_waiting && awaits_sends(sender)) {
        timetable_.set_earlier(static_cast<std::size_t>(rank), until_s);
    }
}

void Ranks::start(int to, Unmatched&& sent, double from_s) {
    const int from = sent.message.rank;
    const int node = network_.node(to);
    const bool is_inside = network_.node(from) == node;
    const Link& link = is_inside ? network_.inside : network_.outside;
    const std::uint32_t bytes = sent.message.size;
    const double occupied_s = link.occupancy(bytes);
    double& free_s = is_inside ? ranks_[static_cast<std::size_t>(from)].inside_free_s
                               : ports_[static_cast<std::size_t>(network_.node(from))].out_free_s;
    const double begin_s = std::max(from_s, free_s);
    free_s = begin_s + occupied_s;
    const double there_s =
        begin_s + link.flight(bytes, network_.topology.hops(network_.node(from), node)) + noise_s();
    ++started_;
    note_sent(from, sent.send, there_s + occupied_s);
    if (!is_inside) {
        ports_[static_cast<std::size_t>(node)].arriving.push(
            {there_s, occupied_s, to, std::move(sent.message)});
        timetable_.set_earlier(port_actor(node), there_s);
        return;
    }
    Rank& second = ranks_[static_cast<std::size_t>(to)];
    second.arrived_inside.push({there_s + occupied_s, occupied_s, to, std::move(sent.message)});
    if (second.is_waiting) {
        timetable_.set_earlier(static_cast<std::size_t>(to), there_s + occupied_s);
    }
}

void Ranks::pass_port(int node, double until_s) {
    Port& port = ports_[static_cast<std::size_t>(node)];
    while (!port.arriving.empty() && port.arriving.next_s() <= until_s) {
        Arrival next = port.arriving.pop();
        port.in_free_s = std::max(next.time_s, port.in_free_s) + next.occupied_s;
        next.time_s = port.in_free_s;
        const auto to = static_cast<std::size_t>(next.to);
        ranks_[to].arrived.push(std::move(next));
        if (ranks_[to].is_waiting) {
            timetable_.set_earlier(to, port.in_free_s);
        }
    }
    timetable_.set(port_actor(node), port.arriving.empty() ? Timetable::never : port.arriving.next_s());
}

double Ranks::next_arrival_s(Rank& local) {
    const double inside_s = local.arrived_inside.empty() ? Timetable::never : local.arrived_inside.next_s();
    return local.arrived.empty() ? inside_s : std::min(inside_s, local.arrived[0].time_s);
}

bool Ranks::receive(runtime::Buffer& message) {
    Rank& local = rank();
    if (timetable_.next_s() + lookahead_s_ <= local.clock.now_s()) {
        await_turn();
    }
    const int node = network_.node(running_);
    if (timetable_.time_s(port_actor(node)) <= local.clock.now_s()) {
        pass_port(node, local.clock.now_s());
    }
    const double next_s = next_arrival_s(local);
    if (next_s > local.clock.now_s()) {
        return false;
    }
    const bool is_inside = local.arrived.empty() || local.arrived[0].time_s > next_s;
    message = std::move((is_inside ? local.arrived_inside.pop() : local.arrived.pop()).message);
    local.clock.advance((is_inside ? network_.inside : network_.outside).receiving(message.size));
    if (is_synchronous(message)) {
        if (local.unmatched.empty()) {
            local.posted_s.push(local.clock.now_s());
        } else {
            start(running_, local.unmatched.pop(), local.clock.now_s());
        }
    }
    // As many buffers stay with every rank as it had: those of one that only sends would otherwise pile up
    // where it sends to.
    runtime::BufferPool* const senders = ranks_[static_cast<std::size_t>(message.rank)].transport.pool;
    if (senders != nullptr && senders->capacity_bytes() == local.transport.pool->capacity_bytes()) {
        senders->give_back(local.transport.pool->take());
    }
    return true;
}

void Ranks::wait(double until_s) {
    Rank& local = rank();
    if (until_s != Timetable::never) {
        // A time that is over by rounding alone must not come again and again.
        until_s = std::max(until_s, std::nextafter(local.clock.now_s(), Timetable::never));
    }
    if (awaits_sends(local)) {
        for (const double ends_s : local.sends_s) {
            until_s = ends_s < 0 ? until_s : std::min(until_s, ends_s);
        }
    }
    until_s = std::min(until_s, next_arrival_s(local));
    local.is_waiting = true;
    suspend(until_s, "messages");
    local.is_waiting = false;
    local.lacks_room = false;
}

void Ranks::meet(double for_s) {
    met_s_ = std::max(met_s_, rank().clock.now_s());
    if (++came_ < size()) {
        met_.push_back(running_);
        suspend(Timetable::never, "the others, in what is collective");
        return;
    }
    const double until_s = std::exchange(met_s_, 0) + for_s;
    came_ = 0;
    for (const int second : met_) {
        timetable_.set(static_cast<std::size_t>(second), until_s);
    }
    met_.clear();
    rank().clock.wait_until(until_s);
}

} // namespace goodsyard::virtual_time
