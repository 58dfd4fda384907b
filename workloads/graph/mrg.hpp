// The multiple recursive generator of Graph500, with skips of any length.
//
// L'Ecuyer, Blouin, Couture: A search for good multiple recursive random number generators, TOMACS 1993,
// DOI 10.1145/169702.169698: z[n] = (107374182 z[n-1] + 104480 z[n-5]) mod (2^31 - 1). A step is a companion
// matrix, so that skipping n numbers is its n-th power, and no table is needed.
#pragma once

#include <array>
#include <cstdint>

namespace goodsyard::graph {

class Mrg {
  public:
    static constexpr std::uint64_t modulus = 0x7FFFFFFF;
    using State = std::array<std::uint64_t, 5>;

    /// A power of one step: how the state moves over so many numbers.
    class Skip {
      public:
        /// One step.
        constexpr Skip() {
            rows_[0] = {a1, 0, 0, 0, a5};
            for (std::size_t i = 1; i < 5; ++i) {
                rows_[i][i - 1] = 1;
            }
        }
        /// `high` 2^128 + `middle` 2^64 + `low` numbers.
        static constexpr Skip over(std::uint64_t high, std::uint64_t middle, std::uint64_t low) {
            Skip power; // Of 2^bit numbers.
            Skip all = none();
            for (const std::uint64_t word : {low, middle, high}) {
                for (int bit = 0; bit < 64; ++bit) {
                    if ((word >> bit) & 1U) {
                        all = all.then(power);
                    }
                    power = power.then(power);
                }
            }
            return all;
        }
        [[nodiscard]] constexpr State operator()(const State& state) const {
            State moved{};
            for (std::size_t i = 0; i < 5; ++i) {
                moved[i] = dot(rows_[i], state);
            }
            return moved;
        }

      private:
        static constexpr Skip none() {
            Skip identity;
            for (std::size_t i = 0; i < 5; ++i) {
                identity.rows_[i] = {};
                identity.rows_[i][i] = 1;
            }
            return identity;
        }
        [[nodiscard]] constexpr Skip then(const Skip& next) const {
            Skip both;
            for (std::size_t i = 0; i < 5; ++i) {
                for (std::size_t j = 0; j < 5; ++j) {
                    const State column = {rows_[0][j], rows_[1][j], rows_[2][j], rows_[3][j], rows_[4][j]};
                    both.rows_[i][j] = dot(next.rows_[i], column);
                }
            }
            return both;
        }
        // Five products below 2^62 do not fit in 64 bits; two of them do.
        static constexpr std::uint64_t dot(const State& row, const State& column) {
            const std::uint64_t first = (row[0] * column[0] + row[1] * column[1]) % modulus;
            const std::uint64_t second = (row[2] * column[2] + row[3] * column[3]) % modulus;
            return (first + second + row[4] * column[4]) % modulus;
        }
        std::array<State, 5> rows_{};
    };

    explicit constexpr Mrg(const State& state) : state_(state) {}

    /// The state that two seeds of a user make (specification 3 of Graph500).
    static constexpr State seeded(std::uint64_t first, std::uint64_t second) {
        return {(first & 0x3FFFFFFF) + 1, ((first >> 30) & 0x3FFFFFFF) + 1, (second & 0x3FFFFFFF) + 1,
                ((second >> 30) & 0x3FFFFFFF) + 1, ((second >> 60) << 4) + (first >> 60) + 1};
    }

    /// The next number, in [0, 2^31 - 2].
    constexpr std::uint64_t operator()() {
        const std::uint64_t next = (a1 * state_[0] + a5 * state_[4]) % modulus;
        state_ = {next, state_[0], state_[1], state_[2], state_[3]};
        return next;
    }

  private:
    static constexpr std::uint64_t a1 = 107374182;
    static constexpr std::uint64_t a5 = 104480;

    State state_;
};

} // namespace goodsyard::graph
