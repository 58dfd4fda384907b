// Points to be clustered, and the text files that hold them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mafia/planted.hpp"

namespace goodsyard::mafia {

/// `count` points of `dimensions` coordinates, dimension by dimension: every phase reads whole dimensions.
struct Points {
    std::size_t count = 0;
    int dimensions = 0;
    std::vector<double> coordinates; ///< `count` of dimension 0, then of dimension 1, and so on.

    [[nodiscard]] const double* dimension(int j) const {
        return coordinates.data() + static_cast<std::size_t>(j) * count;
    }
    [[nodiscard]] double* dimension(int j) {
        return coordinates.data() + static_cast<std::size_t>(j) * count;
    }
};

/// Points of a file, with the boxes that its generator noted, if one did.
struct DataFile {
    Points points;
    std::vector<Box> planted;
};

/// Read a point a line, numbers with blanks or commas between; lines that begin with # are notes. Raises
/// UsageError, with file and line, where a line has more or fewer numbers than the first, or something that
/// is not a finite number.
DataFile read_points(const std::string& path);

/// Write such a file; the boxes go into its notes. Raises std::runtime_error where it cannot be written.
void write_points(const std::string& path, const Points& points, const std::vector<Box>& planted);

} // namespace goodsyard::mafia
