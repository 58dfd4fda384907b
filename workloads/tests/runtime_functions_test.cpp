#include <gtest/gtest.h>

#include "runtime/functions.hpp"

namespace goodsyard::runtime {
namespace {

int last_called = 0;

TEST(FunctionsByNumber, AreCalledByTheNumberThatTheyWereGiven) {
    Functions enrolled;
    const std::uint32_t first = enrolled.enrol([] { last_called = 1; }, "one");
    const std::uint32_t second = enrolled.enrol([] { last_called = 2; }, "two");
    ASSERT_EQ(enrolled.size(), 2U);
    enrolled.at<void (*)()>(second)();
    EXPECT_EQ(last_called, 2);
    enrolled.at<void (*)()>(first)();
    EXPECT_EQ(last_called, 1);
}

TEST(FunctionsByNumber, AreDistinguishedByNamesAndOrder) {
    const auto fingerprint_of = [](std::initializer_list<const char*> names) {
        Functions enrolled;
        for (const char* name : names) {
            enrolled.enrol([] {}, name);
        }
        return enrolled.fingerprint();
    };
    EXPECT_EQ(fingerprint_of({"one", "two"}), fingerprint_of({"one", "two"}));
    EXPECT_NE(fingerprint_of({"one", "two"}), fingerprint_of({"two", "one"}));
    EXPECT_NE(fingerprint_of({"one"}), fingerprint_of({"one", "one"}));
    EXPECT_NE(fingerprint_of({}), fingerprint_of({"one"}));
}

template <int number>
void planted(int) {}

TEST(FunctionsByNumber, AreNamedSoThatInstancesOfOneTemplateDiffer) {
    const std::size_t before = functions.size();
    EXPECT_NE(number_of<&planted<1>>, number_of<&planted<2>>);
    EXPECT_EQ(functions.size(), before); // Enrolled when the program begins, and once.
    EXPECT_NE(typeid(std::integral_constant<void (*)(int), &planted<1>>),
              typeid(std::integral_constant<void (*)(int), &planted<2>>));
}

} // namespace
} // namespace goodsyard::runtime
