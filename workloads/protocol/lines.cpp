#include "protocol/lines.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace workloads {

Lines::Lines(Labels common) : common_(std::move(common)) {}

void Lines::write(const std::string& metric, const std::string& unit, const Labels& labels,
                  const std::vector<double>& values) const {
    for (const double value : values)
        if (!std::isfinite(value))
            throw std::runtime_error(metric + " has a value that is not finite");
    Labels line = {{"steelyard", 1}, {"metric", metric}};
    if (!unit.empty())
        line["unit"] = unit;
    line["labels"] = common_;
    line["labels"].update(labels);
    line["values"] = values;
    const std::string text = line.dump() + "\n";

    const char* name = std::getenv("STEELYARD_METRICS");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        name && *name ? std::fopen(name, "a") : nullptr, [](std::FILE* f) { return f ? std::fclose(f) : 0; });
    if (name && *name && !file)
        throw std::runtime_error(std::string("cannot write to ") + name);
    std::FILE* to = file ? file.get() : stdout;
    if (std::fwrite(text.data(), 1, text.size(), to) != text.size() || std::fflush(to) != 0)
        throw std::runtime_error("the line of " + metric + " cannot be written");
}

} // namespace workloads
