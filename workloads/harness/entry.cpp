#include "harness/entry.hpp"

#include "harness/program.hpp"

namespace goodsyard {

namespace {

void measure_alone(const Family<Context>& family, const Settings& settings, const Alone& alone) {
    const Clock clock(settings.timer);
    const Clock::Facts facts = clock.facts();
    const Computation computation(settings.compute, settings.rates);
    const Lines lines(common_labels({{"p", 1}}, family, settings, computation));
    measure_all<Context>(family, {alone, settings, clock, computation}, lines, [&] {
        return Starting{.team = alone, .clock = clock, .model = {}, .raw = settings.raw};
    });
    report_timer(lines, facts, false);
}

} // namespace

int run(int argc, const char* const* argv, Family<Context> family) {
    // Nobody has to be waited for.
    family.settings.sync = "barrier";
    Settings settings = family.settings;
    const Abilities abilities{.is_seeded = family.is_seeded, .computes = family.computes};
    return run(argc, argv,
               Program<Alone>{family.name, family.description,
                              [&](Options& options) {
                                  declare(options, settings, family.names(), abilities);
                                  family.declare(options);
                              },
                              [&](const Alone& alone) { measure_alone(family, settings, alone); }});
}

} // namespace goodsyard
