#include "graph/graph500.hpp"

#include <utility>

namespace goodsyard::graph {

namespace {

// Probabilities of the quadrants, in units of 1 / 10,000: A .57, B = C .19.
constexpr std::uint64_t unit = 10'000;
constexpr std::uint64_t b_ends = 1900;
constexpr std::uint64_t c_ends = 3800;
constexpr std::uint64_t a_ends = 9500;

// Where in the sequence the words of the scramble and the search keys begin.
constexpr std::uint64_t scramble_high = 50;
constexpr std::uint64_t scramble_middle = 7;
constexpr std::uint64_t roots_high = 2;

int quadrant(Mrg& random) {
    std::uint64_t drawn = random();
    while (drawn < Mrg::modulus % unit) { // The rest is a whole number of units.
        drawn = random();
    }
    drawn %= unit;
    if (drawn < b_ends) {
        return 1;
    }
    if (drawn < c_ends) {
        return 2;
    }
    return drawn < a_ends ? 0 : 3;
}

std::uint64_t word(Mrg& random) {
    const std::uint64_t high = random() * 0xFFFFFFFFU;
    return high + random();
}

Scramble scramble_of(int scale, const Mrg::State& seed) {
    Mrg random(Mrg::Skip::over(scramble_high, scramble_middle, 0)(seed));
    const std::uint64_t first = word(random);
    const std::uint64_t second = word(random);
    return {scale, first, second};
}

} // namespace

Graph500::Graph500(int scale, std::uint64_t first_seed, std::uint64_t second_seed)
    : scale_(scale), seed_(Mrg::seeded(first_seed, second_seed)), scramble_(scramble_of(scale, seed_)),
      to_next_edge_(Mrg::Skip::over(0, 1, 0)) {}

Edge Graph500::edge(Mrg random) const {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    for (int level = 0; level < scale_; ++level) {
        const int drawn = quadrant(random);
        auto row = static_cast<std::uint64_t>(drawn / 2);
        auto column = static_cast<std::uint64_t>(drawn % 2);
        if (source == target && row > column) {
            std::swap(row,
                      column); // Clip and flip: while the ends are equal, below the diagonal is above it.
        }
        source = 2 * source + row;
        target = 2 * target + column;
    }
    constexpr double step = 4.65661287524579692e-10;
    const auto weight = static_cast<float>(static_cast<double>(static_cast<float>(random())) * step);
    return {scramble_(source), scramble_(target), weight};
}

void Graph500::draw(std::uint64_t first, std::span<Edge> out) const {
    Mrg::State state = Mrg::Skip::over(0, first, 0)(seed_);
    for (Edge& drawn : out) {
        drawn = edge(Mrg(state));
        state = to_next_edge_(state);
    }
}

std::uint64_t Graph500::root(std::uint64_t index) const {
    Mrg random(Mrg::Skip::over(roots_high, 0, 4 * index)(seed_));
    double sum = 0;
    for (int i = 0; i < 2; ++i) {
        const auto high = static_cast<double>(random());
        sum += high * 0x1p-31 + static_cast<double>(random()) * 0x1p-62;
    }
    return static_cast<std::uint64_t>(sum * static_cast<double>(vertices())) % vertices();
}

} // namespace goodsyard::graph
