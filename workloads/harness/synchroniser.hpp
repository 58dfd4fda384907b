// Ways to start a repetition on all ranks together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/batch.hpp"

namespace goodsyard {

struct Settings;

class Synchroniser {
  public:
    Synchroniser() = default;
    Synchroniser(const Synchroniser&) = delete;
    Synchroniser& operator=(const Synchroniser&) = delete;
    virtual ~Synchroniser() = default;

    /// Run and time `count` repetitions. Collective.
    virtual Batch run(Operation& operation, int count) = 0;

    /// The window, or what comes nearest to it: time between two starts; 0 where there is none.
    [[nodiscard]] virtual double window_s() const = 0;
};

/// Their names, as `--sync` takes them.
std::vector<std::string> synchroniser_names();

/// The one that `settings.sync` names; `longest_s` is what one run was seen to take. Collective.
///
/// `starting` must outlive it.
std::unique_ptr<Synchroniser> make_synchroniser(const Settings& settings, const Starting& starting,
                                                double longest_s);

} // namespace goodsyard
