#include <string>
#include <utility>

#include "mpi/entry.hpp"
#include "mpi/implementation.hpp"
#include "timing/shared_clock.hpp"

namespace goodsyard {

namespace {

void measure_with_ranks(const Family<MpiContext>& family, Settings& settings, const World& world) {
    const Clock clock(settings.timer);
    settings.clocks = chosen(settings.clocks, world, clock);
    const Clock::Facts facts = clock.facts();
    const bool oversubscribed = world.is_oversubscribed();
    const Computation computation(settings.compute, settings.rates);
    const Labels labels = {
        {"p", world.size()}, {"implementation", implementation()}, {"sync", settings.sync}};
    const Lines lines(common_labels(labels, family, settings, computation));
    const MpiContext context{{world, settings, clock, computation}, world};
    measure_all<MpiContext>(family, context, lines, [&] {
        const ClockEffort effort;
        const ClockModel model = synchronise(world, clock, settings.clocks, effort);
        return Starting{.team = world,
                        .clock = clock,
                        .model = model,
                        .oversubscribed = oversubscribed,
                        .raw = settings.raw,
                        .drift_s = [&world, &clock, model, effort, method = settings.clocks] {
                            return clock_drift_s(world, clock, model, method, effort);
                        }};
    });
    if (world.is_root()) {
        report_timer(lines, facts, oversubscribed);
    }
}

} // namespace

int run(const Session& session, int argc, const char* const* argv, Family<MpiContext> family) {
    Settings settings = family.settings;
    const Abilities abilities{.has_ranks = true, .is_seeded = family.is_seeded, .computes = family.computes};
    const auto declare_all = [&](Options& options) {
        declare(options, settings, family.names(), abilities);
        family.declare(options);
    };
    const auto body = [&](const World& world) { measure_with_ranks(family, settings, world); };
    return run(session, argc, argv, Program<World>{family.name, family.description, declare_all, body});
}

} // namespace goodsyard
