// Networks in virtual time: what is counted is closed forms of LogGP, worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/failure.hpp"
#include "runtime/channel.hpp"
#include "virtual/ranks.hpp"
#include "virtual/virtual_transport.hpp"

namespace goodsyard::virtual_time {
namespace {

using runtime::Buffer;
using runtime::BufferPool;

constexpr std::uint32_t bytes = 100;

/// All figures differ, so that none can stand for another.
Network a_network(int nodes, int ranks_of_node) {
    Network network;
    network.nodes = nodes;
    network.ranks_of_node = ranks_of_node;
    network.outside = {.latency_s = 1e-6,
                       .hop_s = 1e-7,
                       .send_s = 3e-7,
                       .send_byte_s = 1e-9,
                       .receive_s = 5e-7,
                       .receive_byte_s = 2e-9,
                       .gap_s = 1e-8,
                       .byte_s = 1e-8,
                       .sizes = {}};
    network.inside = network.outside;
    network.inside.latency_s = 2e-7;
    return network;
}

/// A rank that sends and receives by hand.
class Hand {
  public:
    explicit Hand(Ranks& ranks, int sends = 64, int receives = 64) : ranks_(ranks), rank_(ranks.running()) {
        ranks.set_transport(rank_, {&pool_, sends, receives, true});
    }
    ~Hand() { ranks_.set_transport(rank_, {}); }
    Hand(const Hand&) = delete;
    Hand& operator=(const Hand&) = delete;

    bool send(int to) {
        Buffer message = pool_.take();
        message.size = bytes;
        message.rank = to;
        return ranks_.send(message);
    }
    /// Returns who has sent it.
    int receive() {
        Buffer message;
        while (!ranks_.receive(message)) {
            ranks_.wait();
        }
        return message.rank;
    }

  private:
    Ranks& ranks_;
    int rank_;
    BufferPool pool_{256};
};

/// When rank 1, or the last, has received `messages` of them.
double received_s(const Network& network, int ranks, int messages, int from = 0) {
    double time_s = 0;
    Ranks all(network, ranks);
    all.run([&](int rank) {
        Hand hand(all);
        if (rank == from) {
            for (int i = 0; i < messages; ++i) {
                ASSERT_TRUE(hand.send(ranks - 1));
            }
        }
        if (rank == ranks - 1) {
            for (int i = 0; i < messages; ++i) {
                hand.receive();
            }
            time_s = running_clock->now_s();
        }
        all.meet(0);
    });
    return time_s;
}

TEST(VirtualNetwork, AMessageTakesOverheadsLatencyAndBytes) {
    // send 0.3 + 0.1, flight 1, bytes 1, receive 0.5 + 0.2 µs.
    EXPECT_NEAR(received_s(a_network(2, 1), 2, 1), 3.1e-6, 1e-15);
}

TEST(VirtualNetwork, MessagesOfAPortPassItOneAfterTheOther) {
    // The port takes a message every 1 µs, the sender makes one every 0.4: the last of 5 leaves at 4.4.
    EXPECT_NEAR(received_s(a_network(2, 1), 2, 5), 4.4e-6 + 1e-6 + 1e-6 + 0.7e-6, 1e-15);
}

TEST(VirtualNetwork, APortTakesNoMoreMessagesThanItsGapAllows) {
    Network network = a_network(2, 1);
    network.outside.gap_s = 2e-6;
    EXPECT_NEAR(received_s(network, 2, 3), 0.4e-6 + 3 * 2e-6 + 1e-6 + 0.7e-6, 1e-15);
}

TEST(VirtualNetwork, InsideANodeItsOwnLatencyCounts) {
    EXPECT_NEAR(received_s(a_network(1, 2), 2, 1), 2.3e-6, 1e-15);
}

TEST(VirtualNetwork, HopsBeyondTheFirstTakeTime) {
    Network network = a_network(8, 1);
    network.topology = {TopologyKind::torus, {8}};
    // From 0 to 7 is one hop around; from 3 to 7 are four.
    EXPECT_NEAR(received_s(network, 8, 1), 3.1e-6, 1e-15);
    EXPECT_NEAR(received_s(network, 8, 1, 3), 3.4e-6, 1e-15);
}

TEST(VirtualNetwork, SendersToOneNodeQueueAtItsPort) {
    double time_s = 0;
    std::vector<int> order;
    Ranks all(a_network(4, 1), 4);
    all.run([&](int rank) {
        Hand hand(all);
        if (rank < 3) {
            running_clock->work(1e-7 * (2 - rank)); // The last rank is the first to send.
            ASSERT_TRUE(hand.send(3));
        } else {
            for (int i = 0; i < 3; ++i) {
                order.push_back(hand.receive());
            }
            time_s = running_clock->now_s();
        }
        all.meet(0);
    });
    EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
    // The first comes to the port at 1.4, and each takes 1 µs to pass it.
    EXPECT_NEAR(time_s, 1.4e-6 + 3e-6 + 0.7e-6, 1e-15);
}

TEST(VirtualNetwork, ASynchronousMessageWaitsForAReceive) {
    Network network = a_network(2, 1);
    network.synchronous_from_bytes = bytes;
    double time_s = 0;
    Ranks all(network, 2);
    all.run([&](int rank) {
        Hand hand(all, 64, 1);
        if (rank == 0) {
            ASSERT_TRUE(hand.send(1));
            ASSERT_TRUE(hand.send(1));
        } else {
            running_clock->work(10e-6);
            hand.receive();
            hand.receive();
            time_s = running_clock->now_s();
        }
        all.meet(0);
    });
    // The second begins when the first is taken, at 10 + 0.7.
    EXPECT_NEAR(time_s, 10.7e-6 + 2e-6 + 0.7e-6, 1e-15);
}

TEST(VirtualNetwork, ASenderWithoutRoomWaitsForIt) {
    double time_s = 0;
    Ranks all(a_network(2, 1), 2);
    all.run([&](int rank) {
        Hand hand(all, 1);
        if (rank == 0) {
            ASSERT_TRUE(hand.send(1));
            ASSERT_FALSE(hand.send(1));
            all.wait();
            time_s = running_clock->now_s();
            ASSERT_TRUE(hand.send(1));
        } else {
            hand.receive();
            hand.receive();
        }
        all.meet(0);
    });
    EXPECT_NEAR(time_s, 0.4e-6 + 1e-6 + 1e-6, 1e-15);
}

TEST(VirtualNetwork, AWaitEndsAtItsTime) {
    Ranks all(a_network(1, 1), 1);
    all.run([&](int) {
        const Hand hand(all);
        all.wait(5e-6);
        EXPECT_EQ(running_clock->now_s(), 5e-6);
        all.wait(1e-6); // It is over, and time goes on all the same.
        EXPECT_GT(running_clock->now_s(), 5e-6);
    });
}

TEST(VirtualTransports, AreOneOfARankAtATime) {
    Ranks all(a_network(2, 1), 2);
    const auto parameters = runtime::settled({});
    EXPECT_THROW(all.run([&](int) {
        const VirtualTransport first(all, parameters);
        const VirtualTransport second(all, parameters);
    }),
                 UsageError);
}

TEST(VirtualNetwork, ADeadlockIsNamed) {
    Ranks all(a_network(8, 1), 8);
    try {
        all.run([&](int rank) {
            Hand hand(all);
            if (rank == 1) {
                all.meet(0);
            } else if (rank != 2) {
                hand.receive();
            }
        });
        FAIL() << "they have ended";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(),
                     "the ranks wait for ever after 0.000000 s of virtual time: rank 0 for messages, "
                     "rank 1 for the others, in what is collective, rank 3 for messages, and 4 more");
    }
}

/// Every rank sends to every other, in epochs of a runtime; returns what the clocks of all say at the end.
std::vector<double> clocks_of(Network network, std::uint64_t seed, runtime::Execution execution) {
    struct Count {
        std::uint64_t left;
    };
    constexpr int ranks = 6;
    std::vector<double> clocks(ranks);
    Ranks all(std::move(network), ranks, seed);
    const runtime::Parameters parameters = runtime::settled({.execution = execution, .buffer_bytes = 64});
    const Computation computation(ComputeMode::off, "");
    all.run([&](int rank) {
        VirtualTransport transport(all, parameters);
        runtime::Runtime local(transport, parameters, computation);
        std::uint64_t received = 0;
        runtime::Channel<Count> count(local);
        count.on_receipt([&](const Count& item, int from) {
            running_clock->work(1e-7);
            ++received;
            if (item.left > 0) {
                count.send(from, {item.left - 1});
            }
        });
        for (int to = 0; to < ranks; ++to) {
            count.send(to, {9});
        }
        const auto report = [&] { return runtime::Agreed{.sum = received}; };
        EXPECT_EQ(local.epoch([] { return false; }, report).sum, 10U * ranks * ranks);
        clocks[static_cast<std::size_t>(rank)] = running_clock->now_s();
    });
    return clocks;
}

TEST(VirtualNetwork, ARuntimeRepeatsToTheBitBySeed) {
    for (const int ranks_of_node : {1, 3}) {
        Network network = a_network(6, ranks_of_node);
        network.message_noise_s = 1e-7;
        network.work_noise = {.of_rank = .1, .of_piece = .1};
        for (const auto execution :
             {runtime::Execution::handler, runtime::Execution::fibre, runtime::Execution::coroutine}) {
            EXPECT_EQ(clocks_of(network, 1, execution), clocks_of(network, 1, execution));
            EXPECT_NE(clocks_of(network, 1, execution), clocks_of(network, 2, execution));
        }
        EXPECT_EQ(clocks_of(a_network(6, ranks_of_node), 1, runtime::Execution::handler),
                  clocks_of(a_network(6, ranks_of_node), 2, runtime::Execution::handler));
    }
}

TEST(VirtualClock, NoiseHasTheMeanThatIsAskedFor) {
    VirtualClock clock(Random(3), {.of_rank = 0, .of_piece = .5});
    constexpr int pieces = 100'000;
    for (int i = 0; i < pieces; ++i) {
        clock.work(1);
    }
    // The standard error of the mean of an exponential of mean 0.5 is 0.5 / sqrt(100,000), 0.0016.
    EXPECT_NEAR(clock.now_s() / pieces, 1.5, 4 * .0016);
}

TEST(Topology, DistancesAreThoseOfTheTextbook) {
    const Topology torus{TopologyKind::torus, {4, 3, 2}};
    EXPECT_EQ(torus.hops(0, 0), 0);
    EXPECT_EQ(torus.hops(0, 3), 1); // Around.
    EXPECT_EQ(torus.hops(0, 2 + 4 * 1 + 12 * 1), 2 + 1 + 1);
    const Topology tree{TopologyKind::fat_tree, {2, 3}};
    EXPECT_EQ(tree.hops(0, 1), 2);
    EXPECT_EQ(tree.hops(0, 2), 4);
    EXPECT_EQ(Topology{}.hops(0, 5), 1);
}

TEST(Link, ASizeHasTheFactorsOfItsClass) {
    Link link;
    link.latency_s = link.byte_s = 1;
    link.sizes = {{.from_bytes = 0, .latency = 2, .byte = 3}, {.from_bytes = 10, .latency = 4, .byte = 5}};
    EXPECT_EQ(link.flight(9, 1), 2);
    EXPECT_EQ(link.flight(10, 1), 4);
    EXPECT_EQ(link.occupancy(9), 27);
    EXPECT_EQ(link.occupancy(10), 50);
    EXPECT_EQ(link.least_flight(), 2);
}

std::string refusal(const std::string& keys) {
    try {
        (void)network_from(R"({"format": "steelyard-network", "version": 1)" + keys + "}");
        return "";
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(NetworkFile, IsReadWhole) {
    const Network network = network_from(
        R"({"format": "steelyard-network", "version": 1, "nodes": 8, "ranks_of_node": 4, "look_s": 1e-8,
            "topology": {"kind": "torus", "extents": [2, 4]}, "synchronous_from_bytes": 4096,
            "outside": {"latency_s": 1, "hop_s": 2, "send_s": 3, "send_byte_s": 4, "receive_s": 5,
                        "receive_byte_s": 6, "gap_s": 7, "byte_s": 8,
                        "sizes": [{"from_bytes": 9, "latency": 10, "byte": 11}]}})");
    EXPECT_EQ(network.nodes * network.ranks_of_node, 32);
    EXPECT_EQ(network.topology.extents, (std::vector<int>{2, 4}));
    EXPECT_EQ(network.synchronous_from_bytes, 4096U);
    EXPECT_EQ(network.outside.sending(2), 3 + 2 * 4);
    EXPECT_EQ(network.outside.receiving(2), 5 + 2 * 6);
    EXPECT_EQ(network.outside.flight(9, 3), 10 + 2 * 2);
    EXPECT_EQ(network.outside.occupancy(0), 7);
    EXPECT_EQ(network.outside.occupancy(9), 9 * 8 * 11);
}

TEST(NetworkFile, ErrorsNameThePlaceAndTheValue) {
    EXPECT_EQ(refusal(""), "nodes: missing");
    EXPECT_EQ(refusal(R"(, "nodes": 0)"), "nodes: expected an integer from 1 to 1048576, got 0");
    EXPECT_EQ(refusal(R"(, "nodes": 2, "outside": {"latency_s": -1e-6})"),
              "outside.latency_s: expected a number, 0 or more, got -1e-06");
    EXPECT_EQ(refusal(R"(, "nodes": 2, "outside": {"latency": 1})"),
              "outside.latency: unknown key; it may have byte_s, gap_s, hop_s, latency_s, receive_byte_s, "
              "receive_s, send_byte_s, send_s, sizes");
    EXPECT_EQ(refusal(R"(, "nodes": 9, "topology": {"kind": "torus", "extents": [2, 4]})"),
              "topology.extents: they make 8 hosts, and nodes is 9");
    EXPECT_EQ(refusal(R"(, "nodes": 9, "topology": {"kind": "ring"})"),
              "topology.kind: expected crossbar, torus or fat-tree, got \"ring\"");
    EXPECT_EQ(refusal(R"(, "nodes": 2, "inside": {"sizes": [{"from_bytes": 5}, {"from_bytes": 5}]})"),
              "inside.sizes[1].from_bytes: expected more than 5, that of the class before");
    EXPECT_THROW((void)network_from("{"), UsageError);
    try {
        (void)network_from("[]");
        FAIL() << "an array is no network";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "expected a table, got []");
    }
    EXPECT_THROW((void)network_from(R"({"format": "steelyard-network", "version": 2})"), UsageError);
    EXPECT_THROW((void)network_of_argument("flat.json"), UsageError);
    EXPECT_THROW((void)network_of_argument("virtual:/nowhere"), UsageError);
}

TEST(NetworkFile, RanksThatDoNotFitAreRefused) {
    EXPECT_NO_THROW(check_fits(a_network(4, 2), 8));
    EXPECT_THROW(check_fits(a_network(4, 2), 9), UsageError);
}

} // namespace
} // namespace goodsyard::virtual_time
