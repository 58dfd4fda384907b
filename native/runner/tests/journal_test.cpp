#include "journal.hpp"

#include "crc32.hpp"
#include "temporary_file.hpp"

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace steelyard {
namespace {

using testing::TemporaryFile;

constexpr std::size_t head_bytes = 16;

TrialFrame trial(std::uint64_t number) {
    TrialFrame frame;
    frame.record.trial = number;
    return frame;
}

/// A journal of three trials, and where each of its frames ends.
struct Three {
    TemporaryFile file;
    std::vector<std::size_t> ends;

    Three() {
        Journal journal;
        EXPECT_EQ(journal.open(file.path()).state, JournalState::good);
        for (std::uint64_t number = 1; number <= 3; ++number) {
            EXPECT_EQ(journal.append(trial(number)), 0);
            ends.push_back(file.read().size());
        }
    }
};

JournalOpening reopen(const TemporaryFile& file) {
    Journal journal;
    return journal.open(file.path());
}

TEST(Journal, BeginsWithItsHeadAndGrowsByWholeFrames) {
    const Three three;
    const std::string bytes = three.file.read();
    EXPECT_EQ(bytes.substr(0, 8), "SLYDJRNL");
    EXPECT_EQ(bytes.substr(head_bytes, 4), "YTRL");
    const std::size_t frame = 8 + sizeof(Record) + 4;
    EXPECT_EQ(three.ends,
              (std::vector<std::size_t>{head_bytes + frame, head_bytes + 2 * frame, head_bytes + 3 * frame}));
    Crc32 crc;
    crc.add({bytes.data() + head_bytes + 8, sizeof(Record)});
    std::uint32_t stored = 0;
    std::memcpy(&stored, bytes.data() + head_bytes + 8 + sizeof(Record), sizeof stored);
    EXPECT_EQ(crc.value(), stored);
}

TEST(Journal, GoesOnWhereItEnded) {
    const Three three;
    const std::string before = three.file.read();
    const JournalOpening opening = reopen(three.file);
    EXPECT_EQ(opening.state, JournalState::good);
    EXPECT_EQ(opening.offset, before.size());
    EXPECT_EQ(opening.cut_bytes, 0U);
    EXPECT_EQ(three.file.read(), before);
}

TEST(Journal, CutsOffALastFrameThatIsNotWholeWhereverItWasTorn) {
    const Three three;
    const std::string contents = three.file.read();
    for (std::size_t size = three.ends[1]; size < three.ends[2]; ++size) {
        three.file.write(contents.substr(0, size));
        const JournalOpening opening = reopen(three.file);
        ASSERT_EQ(opening.state, JournalState::good) << size;
        EXPECT_EQ(opening.offset, three.ends[1]);
        EXPECT_EQ(opening.cut_bytes, size - three.ends[1]);
        EXPECT_EQ(three.file.read(), contents.substr(0, three.ends[1]));
    }
}

TEST(Journal, BeginsAnewWhenItsHeadWasTorn) {
    const Three three;
    const std::string contents = three.file.read();
    for (std::size_t size = 0; size < head_bytes; ++size) {
        three.file.write(contents.substr(0, size));
        const JournalOpening opening = reopen(three.file);
        ASSERT_EQ(opening.state, JournalState::good) << size;
        EXPECT_EQ(three.file.read(), contents.substr(0, head_bytes));
    }
}

TEST(Journal, TakesZerosAtTheEndForWhatAPowerCutLeaves) {
    const Three three;
    const std::string contents = three.file.read();
    three.file.write(contents + std::string(5'000, '\0'));
    const JournalOpening opening = reopen(three.file);
    EXPECT_EQ(opening.state, JournalState::good);
    EXPECT_EQ(opening.cut_bytes, 5'000U);
    EXPECT_EQ(three.file.read(), contents);
    three.file.write(std::string(5'000, '\0'));
    EXPECT_EQ(reopen(three.file).state, JournalState::good);
    EXPECT_EQ(three.file.read(), contents.substr(0, head_bytes));
}

TEST(Journal, CutsOffALastFrameWhoseBytesAreWrong) {
    const Three three;
    std::string damaged = three.file.read();
    damaged[three.ends[1] + 30] ^= 1;
    three.file.write(damaged);
    EXPECT_EQ(reopen(three.file).offset, three.ends[1]);
}

TEST(Journal, LeavesAJournalAloneThatIsDamagedInTheMiddle) {
    const Three three;
    std::string damaged = three.file.read();
    damaged[three.ends[0] + 30] ^= 1;
    three.file.write(damaged);
    const JournalOpening opening = reopen(three.file);
    EXPECT_EQ(opening.state, JournalState::corrupt);
    EXPECT_EQ(opening.offset, three.ends[0]);
    EXPECT_EQ(three.file.read(), damaged);
}

TEST(Journal, LeavesOtherFilesAlone) {
    const TemporaryFile file;
    for (const std::string text : {"#!/bin/sh\necho precious\n", "short", "SLYDJRNX with another magic"}) {
        file.write(text);
        EXPECT_EQ(reopen(file).state, JournalState::not_a_journal) << text;
        EXPECT_EQ(file.read(), text);
    }
}

TEST(Journal, LeavesANewerVersionAlone) {
    const Three three;
    std::string newer = three.file.read();
    newer[8] = 9;
    three.file.write(newer);
    const JournalOpening opening = reopen(three.file);
    EXPECT_EQ(opening.state, JournalState::other_version);
    EXPECT_EQ(opening.offset, 9U);
    EXPECT_EQ(three.file.read(), newer);
}

TEST(Journal, HasOneWriterAtATime) {
    const TemporaryFile file;
    Journal first;
    ASSERT_EQ(first.open(file.path()).state, JournalState::good);
    EXPECT_EQ(reopen(file).state, JournalState::locked);
}

TEST(Journal, SaysWhyItCannotBeOpened) {
    const TemporaryFile file;
    Journal journal;
    const JournalOpening opening = journal.open((std::string(file.path()) + ".missing/journal").c_str());
    EXPECT_EQ(opening.state, JournalState::cannot_open);
    EXPECT_EQ(opening.error, ENOENT);
}

TEST(Journal, StoresOutputsLargerThanItsBuffer) {
    const TemporaryFile output;
    std::string text(100'000, 'x');
    text.back() = 'y';
    output.write(text);
    const TemporaryFile file;
    Journal journal;
    ASSERT_EQ(journal.open(file.path()).state, JournalState::good);
    TrialFrame frame = trial(1);
    frame.stdout_fd = ::open(output.path(), O_RDONLY);
    frame.record.stdout_kept = static_cast<std::uint32_t>(text.size());
    EXPECT_EQ(journal.append(frame), 0);
    close(frame.stdout_fd);
    EXPECT_EQ(file.read().substr(head_bytes + 8 + sizeof(Record), text.size()), text);
}

TEST(Journal, FillsWithZerosWhenAFileIsShorterThanItWas) {
    const TemporaryFile output;
    output.write("abc");
    const TemporaryFile file;
    {
        Journal journal;
        ASSERT_EQ(journal.open(file.path()).state, JournalState::good);
        TrialFrame frame = trial(1);
        frame.metrics_fd = ::open(output.path(), O_RDONLY);
        frame.record.metrics_kept = 20'000;
        EXPECT_EQ(journal.append(frame), 0);
        close(frame.metrics_fd);
        EXPECT_EQ(file.read().substr(head_bytes + 8 + sizeof(Record), 20'000),
                  "abc" + std::string(19'997, '\0'));
    }
    EXPECT_EQ(reopen(file).cut_bytes, 0U);
}

} // namespace
} // namespace steelyard
