// The line protocol (docs/protocol.md): one JSON object a line, in the file that STEELYARD_METRICS names, or
// on stdout. It is all that a workload knows of Steelyard.
#pragma once

#include <string>
#include <vector>

#include "protocol/labels.hpp"

namespace goodsyard {

class Lines {
  public:
    /// Labels that every line carries.
    explicit Lines(Labels common);

    /// Write one line by one write(2), whatever its length, so that several processes may append to a file.
    ///
    /// Raises std::runtime_error where a value is not finite, or where the line cannot be written as a whole.
    void write(const std::string& metric, const std::string& unit, const Labels& labels,
               const std::vector<double>& values) const;

  private:
    Labels common_;
};

} // namespace goodsyard
