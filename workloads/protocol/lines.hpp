// The line protocol (docs/protocol.md): one JSON object a line, in the file that STEELYARD_METRICS names, or
// on stdout. It is all that a workload knows of Steelyard.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace workloads {

/// Labels keep the order in which they were given.
using Labels = nlohmann::ordered_json;

class Lines {
  public:
    /// Labels that every line carries.
    explicit Lines(Labels common);

    /// Write one line at once, so that several processes may append. Raises std::runtime_error where it
    /// cannot be written, or a value is not finite.
    void write(const std::string& metric, const std::string& unit, const Labels& labels,
               const std::vector<double>& values) const;

  private:
    Labels common_;
};

} // namespace workloads
