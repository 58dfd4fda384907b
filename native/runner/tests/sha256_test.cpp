#include "sha256.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace steelyard {
namespace {

std::string hexadecimal(Sha256& sha) {
    std::string text;
    for (const std::uint8_t byte : sha.finish()) {
        text += "0123456789abcdef"[byte >> 4U];
        text += "0123456789abcdef"[byte & 0xFU];
    }
    return text;
}

std::string digest(std::string_view text) {
    Sha256 sha;
    sha.add(text);
    return hexadecimal(sha);
}

// Examples of NIST for FIPS 180-4: one block, two blocks, and a million bytes.
TEST(Sha256, HasTheDigestsOfItsStandard) {
    EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfNothingIsThatOfAnEmptyFile) {
    EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, DoesNotDependOnThePiecesAroundTheEndOfABlock) {
    for (std::size_t length = 54; length < 130; ++length) {
        std::string text(length, 'x');
        text[length / 2] = 'y';
        for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, length / 2, length - 1}) {
            Sha256 sha;
            sha.add(std::string_view(text).substr(0, cut));
            sha.add(std::string_view(text).substr(cut));
            EXPECT_EQ(hexadecimal(sha), digest(text)) << length << " cut at " << cut;
        }
        text[length - 1] = 'z';
        EXPECT_NE(digest(text), digest(std::string(length, 'x')));
    }
}

} // namespace
} // namespace steelyard
