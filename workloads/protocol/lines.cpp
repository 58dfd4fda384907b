#include "protocol/lines.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace goodsyard {

namespace {

/// A file to append to, or stdout.
class Appended {
  public:
    explicit Appended(const char* name) : name_(name && *name ? name : "stdout") {
        if (!name || !*name) {
            return;
        }
        descriptor_ = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            fail("cannot open");
        }
    }
    ~Appended() {
        if (descriptor_ != STDOUT_FILENO) {
            close(descriptor_);
        }
    }
    Appended(const Appended&) = delete;
    Appended& operator=(const Appended&) = delete;

    void write_whole(const std::string& text) const {
        ssize_t written = 0;
        do {
            written = write(descriptor_, text.data(), text.size());
        } while (written < 0 && errno == EINTR);
        if (written < 0) {
            fail("cannot write to");
        }
        // The rest would stand behind what another process appended meanwhile.
        if (static_cast<std::size_t>(written) != text.size()) {
            throw std::runtime_error("only " + std::to_string(written) + " of " +
                                     std::to_string(text.size()) + " bytes of a line were written to " +
                                     name_ + ": the line is torn; is the disk full?");
        }
    }

  private:
    [[noreturn]] void fail(const char* subject) const {
        throw std::system_error(errno, std::generic_category(), std::string(subject) + " " + name_);
    }

    std::string name_;
    int descriptor_ = STDOUT_FILENO;
};

nlohmann::ordered_json as_json(const Labels& labels) {
    auto object = nlohmann::ordered_json::object();
    for (const auto& [name, value] : labels) {
        std::visit([&](const auto& scalar) { object[name] = scalar; }, value);
    }
    return object;
}

} // namespace

Lines::Lines(Labels common) : common_(std::move(common)) {}

void Lines::write(const std::string& metric, const std::string& unit, const Labels& labels,
                  const std::vector<double>& values) const {
    for (const double value : values) {
        if (!std::isfinite(value)) {
            throw std::runtime_error(metric + " has a value that is not finite");
        }
    }
    nlohmann::ordered_json line = {{"steelyard", 1}, {"metric", metric}};
    if (!unit.empty()) {
        line["unit"] = unit;
    }
    line["labels"] = as_json(common_.with(labels));
    line["values"] = values;
    Appended(std::getenv("STEELYARD_METRICS")).write_whole(line.dump() + "\n");
}

} // namespace goodsyard
