#include "calibrate/searches.hpp"

#include <gtest/gtest.h>

#include "calibrate/walks.hpp"

namespace goodsyard {
namespace {

TEST(Searches, OfAPathComeByEachOfItsVerticesInAClassOfItsOwn) {
    Search<agm::Sssp> search(path_graph());
    EXPECT_EQ(search.run(), search.vertices() - 1); // The first vertex is no end of an edge.
    EXPECT_EQ(search.classes(), search.vertices());
}

TEST(Searches, OfADrawnGraphComeByEachOfItsEdges) {
    Search<agm::Sssp> distances(drawn_graph());
    Search<agm::Bfs> levels(drawn_graph(), true);
    EXPECT_EQ(distances.run(), levels.run());
    EXPECT_EQ(levels.run(), 64 * levels.vertices());
}

/// Takes what it calls for each edge by value.
class BfsByValue : public agm::Bfs {
  public:
    using Bfs::Bfs;
    template <class Emit>
    void process(const Item& item, Emit emit) {
        Bfs::process(item, emit);
    }
};

TEST(Searches, CountEachEdgeOfAnAlgorithmThatTakesItsCallByValue) {
    Search<BfsByValue> levels(drawn_graph(), true);
    EXPECT_EQ(levels.run(), 64 * levels.vertices());
}

TEST(Walks, ReadAsOftenAsTheySay) {
    Walks walks(1);
    const std::uint64_t before = walks.result();
    EXPECT_GT(walks.walk(ReadOrder::dependent, 0), 0U);
    EXPECT_EQ(walks.walk(ReadOrder::independent, 0), walks.walk(ReadOrder::dependent, 0));
    EXPECT_NE(walks.result(), before);
}

} // namespace
} // namespace goodsyard
