// How each phase is done. The naive ways are those of a first version: ready-made regressions.
#pragma once

namespace goodsyard::mafia {

enum class Join : int { index, pairs };        ///< gen, and unjoin: by common subsequences, or all pairs
enum class Dedup : int { hash, tree, pairs };  ///< hash set, ordered set, or each with all before it
enum class Counting : int { bitmaps, points }; ///< pcount: words ANDed, or every point looked at

struct Variants {
    Join join = Join::index;
    Dedup dedup = Dedup::hash;
    Counting counting = Counting::bitmaps;
};

} // namespace goodsyard::mafia
