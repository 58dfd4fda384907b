#include "process_facts.hpp"

#include "record.hpp"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace steelyard {
namespace {

TEST(QueueWait, IsTheSecondNumberOfSchedstat) {
    EXPECT_EQ(parse_queue_wait_ns("55210 1234567890123 1\n"), 1'234'567'890'123U);
}

TEST(QueueWait, IsUnknownWhereTheKernelSaysNothing) {
    EXPECT_EQ(parse_queue_wait_ns(""), no_queue_wait);
    EXPECT_EQ(parse_queue_wait_ns("55210"), no_queue_wait);
}

std::string stat_line(const std::string& name) {
    std::ostringstream line;
    line << "123 (" << name << ") Z";
    for (int field = 4; field <= 52; ++field) {
        line << ' ' << field * 100;
    }
    return line.str();
}

TEST(LastCpu, IsField39WhateverTheNameHolds) {
    EXPECT_EQ(parse_last_cpu(stat_line("true")), 3900);
    EXPECT_EQ(parse_last_cpu(stat_line("a b")), 3900);
    EXPECT_EQ(parse_last_cpu(stat_line("tricky) R 1 2 (3")), 3900);
    EXPECT_EQ(parse_last_cpu(stat_line("")), 3900);
}

TEST(LastCpu, IsUnknownWhenTheLineIsShort) {
    EXPECT_EQ(parse_last_cpu(""), -1);
    EXPECT_EQ(parse_last_cpu("123 (true) Z 1 2 3"), -1);
}

TEST(State, IsTheLetterBehindTheNameWhateverThatHolds) {
    EXPECT_EQ(parse_state(stat_line("tricky) R 1 2 (3")), 'Z');
    EXPECT_EQ(parse_state("123 (true)"), '\0');
    EXPECT_EQ(parse_state(""), '\0');
}

TEST(ProcessFacts, AreReadFromTheKernel) {
    EXPECT_GE(read_last_cpu(getpid()), 0);
    EXPECT_EQ(read_last_cpu(0), -1);
    EXPECT_EQ(read_queue_wait_ns(0), no_queue_wait);
}

} // namespace
} // namespace steelyard
