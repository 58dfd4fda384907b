// One parse, and what the other ranks make of it.

#include "harness/options.hpp"

#include <gtest/gtest.h>

#include "harness/failure.hpp"

namespace goodsyard {
namespace {

enum class Colour : int { red = 3, green = 5 };

struct Values {
    int count = 1;
    std::int64_t wide = 2;
    std::uint64_t seed = 3;
    double share = 0.5;
    std::string name = "none";
    std::vector<std::string> ops = {"a"};
    Colour colour = Colour::red;
    bool raw = false;
    bool verify = true;

    void declare(Options& options) {
        options.add("--count", count, "A number", {0, 10});
        options.add("--wide", wide, "A large one");
        options.add("--seed", seed, "Of the inputs");
        options.add("--share", share, "Of something", {0.0, 1.0});
        options.add("--name", name, "Text");
        options.add("--ops", ops, "Some", {"a", "b", "c"});
        options.add("--colour", colour, "One of two", {{"red", Colour::red}, {"green", Colour::green}});
        options.flag("--raw", raw, "More");
        options.negated("--no-verify", verify, "Less");
        options.check([this] {
            if (count == 7) {
                throw UsageError("--count 7 is not wanted");
            }
        });
    }
};

int parse(Values& values, std::vector<const char*> words) {
    Options options;
    values.declare(options);
    words.insert(words.begin(), "program");
    return options.parse("program", "A test.", static_cast<int>(words.size()), words.data());
}

TEST(Options, ReachAnotherProcessAsTheyWereParsed) {
    Values self;
    Options options;
    self.declare(options);
    const std::vector<const char*> words = {
        "program", "--count", "4",          "--wide",    "-9000000000", "--seed", "18446744073709551615",
        "--share", "0.1",     "--name",     "two words", "--ops",       "c,a",    "--colour",
        "green",   "--raw",   "--no-verify"};
    ASSERT_EQ(options.parse("program", "", static_cast<int>(words.size()), words.data()), -1);

    Values place;
    Options theirs;
    place.declare(theirs);
    theirs.unpack(options.packed());
    EXPECT_EQ(place.count, 4);
    EXPECT_EQ(place.wide, -9'000'000'000);
    EXPECT_EQ(place.seed, 18446744073709551615U);
    EXPECT_EQ(place.share, 0.1);
    EXPECT_EQ(place.name, "two words");
    EXPECT_EQ(place.ops, (std::vector<std::string>{"c", "a"}));
    EXPECT_EQ(place.colour, Colour::green);
    EXPECT_TRUE(place.raw);
    EXPECT_FALSE(place.verify);
}

TEST(Options, KeepTheirDefaults) {
    Values values;
    EXPECT_EQ(parse(values, {}), -1);
    EXPECT_EQ(values.ops, std::vector<std::string>{"a"});
    EXPECT_TRUE(values.verify);
}

TEST(Options, OfAnotherProgramAreRefused) {
    Values values;
    Options options;
    values.declare(options);
    const std::string bytes = options.packed();
    EXPECT_THROW(options.unpack(bytes + "x"), std::invalid_argument);
    EXPECT_THROW(options.unpack(bytes.substr(0, bytes.size() - 1)), std::invalid_argument);
    EXPECT_THROW(options.unpack(""), std::invalid_argument);
}

class Refused : public testing::TestWithParam<std::pair<std::vector<const char*>, const char*>> {};

TEST_P(Refused, IsSaidInOneLineThatNamesIt) {
    Values values;
    testing::internal::CaptureStderr();
    EXPECT_EQ(parse(values, GetParam().first), 2);
    const std::string message = testing::internal::GetCapturedStderr();
    EXPECT_NE(message.find(GetParam().second), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
    EXPECT_TRUE(message.starts_with("program: ")) << message;
}

INSTANTIATE_TEST_SUITE_P(Words, Refused,
                         testing::Values(std::pair{std::vector<const char*>{"--count", "11"}, "--count"},
                                         std::pair{std::vector<const char*>{"--count", "many"}, "many"},
                                         std::pair{std::vector<const char*>{"--count", "7"}, "not wanted"},
                                         std::pair{std::vector<const char*>{"--share", "1.5"}, "--share"},
                                         std::pair{std::vector<const char*>{"--share", "nan"}, "--share"},
                                         std::pair{std::vector<const char*>{"--share", "-NaN"}, "--share"},
                                         std::pair{std::vector<const char*>{"--ops", "a,d"}, "d"},
                                         std::pair{std::vector<const char*>{"--colour", "blue"}, "blue"},
                                         std::pair{std::vector<const char*>{"--unknown"}, "--unknown"},
                                         std::pair{std::vector<const char*>{"word"}, "word"}));

TEST(Options, HelpEndsTheProgramWell) {
    Values values;
    testing::internal::CaptureStdout();
    EXPECT_EQ(parse(values, {"--help"}), 0);
    const std::string message = testing::internal::GetCapturedStdout();
    EXPECT_NE(message.find("--colour"), std::string::npos) << message;
}

} // namespace
} // namespace goodsyard
