#include "order_pipe.hpp"

#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace steelyard {
namespace {

class OrderPipe : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(pipe(ends), 0); }
    void TearDown() override {
        close(ends[0]);
        if (ends[1] >= 0) {
            close(ends[1]);
        }
    }
    void send(const std::string& bytes) const {
        EXPECT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void close_writer() {
        close(ends[1]);
        ends[1] = -1;
    }

    int ends[2] = {};
};

TEST_F(OrderPipe, PutsPiecesTogether) {
    std::thread writer([this] {
        for (const char* piece : {"or", "d", "er"}) {
            send(piece);
        }
    });
    char order[6] = {};
    EXPECT_EQ(read_exactly(ends[0], order, 5), Reading::whole);
    EXPECT_STREQ(order, "order");
    writer.join();
}

TEST_F(OrderPipe, TellsAnEndFromATornOrder) {
    char order[5];
    send("ord");
    close_writer();
    EXPECT_EQ(read_exactly(ends[0], order, 5), Reading::torn);
    EXPECT_EQ(read_exactly(ends[0], order, 5), Reading::end);
}

TEST_F(OrderPipe, MovesMoreThanItsBufferToAFile) {
    const int file = memfd_create("test", 0);
    const std::string bytes(20'000, 'x');
    send(bytes);
    EXPECT_EQ(move_to_file(ends[0], file, bytes.size()), 0);
    std::string moved(bytes.size(), '?');
    EXPECT_EQ(pread(file, moved.data(), moved.size(), 0), static_cast<ssize_t>(moved.size()));
    EXPECT_EQ(moved, bytes);
    close(file);
}

TEST_F(OrderPipe, SaysWhenTheRestNeverComes) {
    const int file = memfd_create("test", 0);
    send("abc");
    close_writer();
    EXPECT_EQ(move_to_file(ends[0], file, 10), EPIPE);
    close(file);
}

} // namespace
} // namespace steelyard
