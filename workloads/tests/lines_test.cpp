// A line is one write, whatever its length, and is written as a whole or not at all.

#include "protocol/lines.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace goodsyard {
namespace {

class Written : public testing::Test {
  protected:
    Written() : path_(std::filesystem::path(testing::TempDir()) / ("lines-" + std::to_string(getpid()))) {
        setenv("STEELYARD_METRICS", path_.c_str(), 1);
    }
    ~Written() override {
        unsetenv("STEELYARD_METRICS");
        std::filesystem::remove(path_);
    }
    [[nodiscard]] std::vector<nlohmann::ordered_json> read() const {
        std::ifstream file(path_);
        std::vector<nlohmann::ordered_json> lines;
        for (std::string line; std::getline(file, line);) {
            lines.push_back(nlohmann::ordered_json::parse(line));
        }
        return lines;
    }

  private:
    std::filesystem::path path_;
};

TEST_F(Written, LinesHaveTheirLabelsInTheOrderInWhichTheyWereGiven) {
    const Lines lines({{"p", 4}, {"sync", "window"}});
    lines.write("latency_s", "s", {{"op", "bcast"}, {"fast", true}, {"p", 5}}, {1e-6, 2.5});
    ASSERT_EQ(read().size(), 1U);
    EXPECT_EQ(
        read()[0].dump(),
        R"({"steelyard":1,"metric":"latency_s","unit":"s","labels":{"p":5,"sync":"window","op":"bcast",)"
        R"("fast":true},"values":[1e-06,2.5]})");
}

TEST_F(Written, LinesOfFourProcessesAreNeverTorn) {
    constexpr int writers = 4;
    constexpr int value = 30;
    // 300 KB a line: far beyond what a buffered stream writes at once.
    const std::vector<double> values(20'000, 0.123456789012345);
    std::vector<pid_t> children;
    for (int writer = 0; writer < writers; ++writer) {
        const pid_t child = fork();
        if (child == 0) {
            const Lines lines({{"writer", writer}});
            for (int i = 0; i < value; ++i) {
                lines.write("value", "", {}, values);
            }
            _exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    const auto lines = read();
    ASSERT_EQ(lines.size(), writers * value);
    for (const auto& line : lines) {
        ASSERT_EQ(line["values"].size(), values.size());
    }
}

TEST_F(Written, WhatIsNotFiniteIsRefusedByName) {
    const Lines lines(Labels{});
    for (const double value :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(lines.write("latency_s", "s", {}, {value}), std::runtime_error);
    }
    EXPECT_TRUE(read().empty());
}

TEST_F(Written, AFullDiskIsAnErrorThatNamesIt) {
    setenv("STEELYARD_METRICS", "/dev/full", 1);
    try {
        Lines(Labels{}).write("latency_s", "s", {}, {1});
        FAIL() << "nothing was said";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/full"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace goodsyard
