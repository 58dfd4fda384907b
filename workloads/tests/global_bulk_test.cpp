#include "global/bulk.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include "global/array_cursor.hpp"
#include "global_schedules.hpp"

namespace goodsyard::global {
namespace {

using runtime::Execution;
using runtime::on_ranks;
using runtime::Runtime;

/// A range of an array of so many elements.
struct Part {
    std::uint64_t first;
    std::uint64_t count;
};
constexpr std::uint64_t size = 300;
Part part(std::uint64_t seed, int rank, std::uint64_t i) {
    const std::uint64_t drawn = mix64(seed * 100 + static_cast<std::uint64_t>(rank) * 10 + i);
    const std::uint64_t first = drawn % size;
    return {first, drawn / size % (size - first + 1)};
}

TEST(Bulk, GetsWhatIsThereAndPutsWhatIsGivenWhateverTheSchedule) {
    for (std::uint64_t seed = 0; seed < 96; ++seed) {
        const auto [network, parameters] = drawn(seed, Execution::fibre);
        on_ranks(network, parameters, [&](Runtime& runtime, const Team& team) {
            Messages messages(runtime);
            Bulk bulk(messages);
            GlobalArray<std::uint64_t> source(team, size, dealings[seed % 3], 5);
            GlobalArray<std::uint64_t> target(team, size, dealings[(seed + 1) % 3], 7);
            for (std::uint64_t place = 0; place < source.own().size(); ++place) {
                source.own()[place] = source.index(place) * 3;
            }
            team.barrier();
            for (std::uint64_t i = 0; i < 4; ++i) {
                runtime.tasks().spawn([&, i] {
                    const auto [first, count] = part(seed, team.rank(), i);
                    std::vector<std::uint64_t> local(count);
                    bulk.get(source, first, local);
                    for (std::uint64_t at = 0; at < count; ++at) {
                        ASSERT_EQ(local[at], (first + at) * 3) << "seed " << seed;
                    }
                    bulk.put(local, target, first); // Ranks that write the same element write the same value.
                    std::vector<std::uint64_t> again(count);
                    bulk.get(target, first, again);
                    EXPECT_EQ(local, again) << "seed " << seed;
                });
            }
            runtime.epoch();
            std::vector<bool> written(size);
            for (int rank = 0; rank < team.size(); ++rank) {
                for (std::uint64_t i = 0; i < 4; ++i) {
                    const auto [first, count] = part(seed, rank, i);
                    std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(first), count, true);
                }
            }
            for (std::uint64_t place = 0; place < target.own().size(); ++place) {
                const std::uint64_t index = target.index(place);
                EXPECT_EQ(target.own()[place], written[index] ? index * 3 : 0) << "seed " << seed;
            }
        });
    }
}

TEST(Bulk, IsForTasksThatWait) {
    on_ranks({.ranks = 2}, {}, [](Runtime& runtime, const Team& team) {
        Messages messages(runtime);
        Bulk bulk(messages);
        GlobalArray<int> array(team, 4);
        std::vector<int> own_part(4);
        EXPECT_THROW(bulk.get(array, 0, own_part), std::logic_error);
        EXPECT_THROW(bulk.put(own_part, array[0]), std::logic_error);
    });
}

TEST(Borrowed, AreCopiesUntilTheyAreReleased) {
    on_ranks({.ranks = 3}, {.execution = Execution::fibre}, [](Runtime& runtime, const Team& team) {
        Messages messages(runtime);
        Bulk bulk(messages);
        GlobalArray<int> array(team, 30);
        std::fill(array.own().begin(), array.own().end(), 5);
        team.barrier();
        if (team.is_root()) {
            runtime.tasks().spawn([&] {
                Borrowed<int> changed(bulk, array, 5, 20, Access::read_write);
                for (int& element : changed.elements()) {
                    EXPECT_EQ(element, 5);
                    ++element;
                }
                Borrowed<int> second(bulk, array, 0, 30, Access::read);
                EXPECT_EQ(std::accumulate(second.elements().begin(), second.elements().end(), 0), 150);
                changed.release();
                EXPECT_EQ(second[10], 5);
                Borrowed<int> later(bulk, array, 0, 30, Access::read);
                EXPECT_EQ(std::accumulate(later.elements().begin(), later.elements().end(), 0), 170);
                later.elements()[0] = 9;
                later.release(); // Not written back.
                EXPECT_TRUE(later.elements().empty());
                Borrowed<int> zeros(bulk, array, 29, 1, Access::write);
                EXPECT_EQ(zeros[0], 0);
                zeros.release();
            });
        }
        runtime.epoch();
        const int own = std::accumulate(array.own().begin(), array.own().end(), 0);
        EXPECT_EQ(team.all(Fold::sum, own), 165);
    });
}

TEST(ArrayCursors, AreArithmeticOverAllRanks) {
    on_ranks({.ranks = 3}, {}, [](Runtime&, const Team& team) {
        const GlobalArray<int> array(team, 10, Dealing::cyclic);
        auto cursor = begin_of(array);
        EXPECT_EQ(end_of(array) - cursor, 10);
        EXPECT_EQ(*(cursor + 4), array[4]);
        EXPECT_EQ(cursor[7], array[7]);
        ++(cursor += 2);
        EXPECT_EQ(cursor.index(), 3U);
        EXPECT_EQ(*--cursor, array[2]);
        EXPECT_EQ(*(1 + cursor - 3), array[0]);
        EXPECT_LT(cursor, end_of(array));
        std::uint64_t count = 0;
        for (auto at = begin_of(array); at != end_of(array); ++at) {
            EXPECT_EQ(*at, array[count++]);
        }
        EXPECT_EQ(count, 10U);
    });
}

} // namespace
} // namespace goodsyard::global
