// Node states of UTS: SHA-1 of one block (FIPS 180-4), by portable code or by the processor's instructions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace goodsyard::uts {

/// Five words, each with its first byte as the highest.
using Digest = std::array<std::uint32_t, 5>;

enum class Sha : int {
    automatic,    ///< Instructions where the processor has them.
    portable,     ///< C++.
    instructions, ///< SHA-NI, on x86-64.
};

/// Whether the processor that this runs on has instructions for SHA-1, and this program uses them.
[[nodiscard]] bool has_sha_instructions();

class Sha1 {
  public:
    /// Raises UsageError where instructions are asked for that the processor does not have.
    explicit Sha1(Sha request);

    [[nodiscard]] bool by_instructions() const { return children_ != &portable_children; }

    /// The state of a root: SHA-1 of 16 zero bytes and the seed.
    [[nodiscard]] static Digest root(std::uint32_t seed);

    /// The states of the children `first`, `first` + 1, …: SHA-1 of the parent's state and their number.
    void children(const Digest& parent, std::uint32_t first, std::span<Digest> states) const {
        children_(parent, first, states);
    }

  private:
    static void portable_children(const Digest& parent, std::uint32_t first, std::span<Digest> states);

    void (*children_)(const Digest& parent, std::uint32_t first, std::span<Digest> states);
};

/// As `Sha1::children`, where `has_sha_instructions()`.
void children_by_instructions(const Digest& parent, std::uint32_t first, std::span<Digest> states);

} // namespace goodsyard::uts
