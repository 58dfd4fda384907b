// What a network costs in virtual time: LogGP with the distance of nodes, and other figures inside a node.
//
// A. Alexandrov, M. F. Ionescu, K. E. Schauser, C. Scheiman: LogGP: incorporating long messages into the LogP
// model, SPAA 1995, DOI 10.1145/215399.215427. F. Ino, N. Fujimoto, K. Hagihara: LogGPS: a parallel
// computational model for synchronization analysis, PPoPP 2001, DOI 10.1145/379539.379592: long messages wait
// for a receive.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/virtual_clock.hpp"

namespace goodsyard::virtual_time {

/// Factors of messages from a length on, as long as none of the next applies.
struct SizeClass {
    std::uint64_t from_bytes = 0;
    double latency = 1; ///< Factor of latency.
    double byte = 1;    ///< Factor of the time of a byte on the wire.
};

/// What a message costs. Seconds; none is negative.
struct Link {
    double latency_s = 0;      ///< L: from the sender's port to the receiver's, without hops.
    double hop_s = 0;          ///< For every hop beyond the first.
    double send_s = 0;         ///< o: of the sender's processor.
    double send_byte_s = 0;    ///< The same for every byte.
    double receive_s = 0;      ///< o: of the receiver's processor.
    double receive_byte_s = 0; ///< The same for every byte.
    double gap_s = 0;          ///< g: between two messages of a port; its inverse is the injection rate.
    double byte_s = 0;         ///< G: of a byte at a port.
    std::vector<SizeClass> sizes;

    [[nodiscard]] double sending(std::uint32_t bytes) const { return send_s + bytes * send_byte_s; }
    [[nodiscard]] double receiving(std::uint32_t bytes) const { return receive_s + bytes * receive_byte_s; }
    /// From port to port.
    [[nodiscard]] double flight(std::uint32_t bytes, int hops) const {
        return latency_s * class_of(bytes).latency + hop_s * (hops > 1 ? hops - 1 : 0);
    }
    /// Of a port, during which no other message passes it.
    [[nodiscard]] double occupancy(std::uint32_t bytes) const {
        const double bytes_s = bytes * byte_s * class_of(bytes).byte;
        return bytes_s > gap_s ? bytes_s : gap_s;
    }
    /// The least time from a send to what it causes elsewhere.
    [[nodiscard]] double least_flight() const;

  private:
    [[nodiscard]] const SizeClass& class_of(std::uint32_t bytes) const;
};

enum class TopologyKind : int { crossbar, torus, fat_tree };

/// How nodes are joined.
struct Topology {
    TopologyKind kind = TopologyKind::crossbar;
    /// Of a torus, the extent of each dimension; of a fat tree, the nodes or switches below a switch, from
    /// the lowest level up. None of a crossbar.
    std::vector<int> extents;

    /// Links between two nodes; 0 where they are one.
    [[nodiscard]] int hops(int from, int to) const;
};

struct Network {
    int nodes = 2;
    int ranks_of_node = 1;
    Topology topology;
    Link outside;      ///< Between nodes.
    Link inside;       ///< Inside of a node.
    double look_s = 0; ///< Of a look for messages.
    /// Messages of so many bytes begin when a receive is posted for them; shorter ones arrive all the same.
    std::uint64_t synchronous_from_bytes = std::numeric_limits<std::uint64_t>::max();
    /// Mean of what a message takes longer than that.
    double message_noise_s = 0;
    WorkNoise work_noise;

    [[nodiscard]] int node(int rank) const { return rank / ranks_of_node; }
};

/// Read a description. Raises UsageError, with the place and the value, where it is none.
[[nodiscard]] Network network_from(const std::string& json);

/// Read `virtual:FILE`. Raises UsageError where it cannot be read, too.
[[nodiscard]] Network network_of_argument(const std::string& argument);

/// Raise UsageError where so many ranks do not fit.
void check_fits(const Network& network, int ranks);

} // namespace goodsyard::virtual_time
