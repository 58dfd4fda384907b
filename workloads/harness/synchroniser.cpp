#include "harness/synchroniser.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include "harness/barrier_sync.hpp"
#include "harness/round_time_sync.hpp"
#include "harness/settings.hpp"
#include "harness/window_sync.hpp"

namespace goodsyard {

namespace {

struct Known {
    std::string_view name;
    std::unique_ptr<Synchroniser> (*make)(const Settings&, const Starting&, double);
};

constexpr std::array<Known, 3> known = {
    Known{"window",
          [](const Settings& settings, const Starting& starting,
             double longest_s) -> std::unique_ptr<Synchroniser> {
              return std::make_unique<WindowSync>(starting, settings.window_s, longest_s, settings.budget_s);
          }},
    Known{"round-time",
          [](const Settings& settings, const Starting& starting, double) -> std::unique_ptr<Synchroniser> {
              return std::make_unique<RoundTimeSync>(starting, settings.round_factor, settings.budget_s);
          }},
    Known{"barrier",
          [](const Settings&, const Starting& starting, double) -> std::unique_ptr<Synchroniser> {
              return std::make_unique<BarrierSync>(starting);
          }},
};

} // namespace

std::vector<std::string> synchroniser_names() {
    std::vector<std::string> names;
    for (const Known& one : known) {
        names.emplace_back(one.name);
    }
    return names;
}

std::unique_ptr<Synchroniser> make_synchroniser(const Settings& settings, const Starting& starting,
                                                double longest_s) {
    for (const Known& one : known) {
        if (one.name == settings.sync) {
            return one.make(settings, starting, longest_s);
        }
    }
    throw std::invalid_argument("no such synchroniser: " + settings.sync);
}

} // namespace goodsyard
