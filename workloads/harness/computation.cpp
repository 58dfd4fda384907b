#include "harness/computation.hpp"

#include <sstream>

#include "harness/simulated.hpp"

#ifdef GOODSYARD_VIRTUAL
#include "harness/virtual_clock.hpp"
#elif defined(GOODSYARD_SIMULATED)
#include <mpi.h>
#endif

namespace goodsyard {

namespace {

constexpr double fixed_s = 1e-9;

Rates rates_for(ComputeMode mode, const std::string& file, double times) {
    Rates rates;
    if (mode == ComputeMode::fixed) {
        rates.seconds.fill(fixed_s);
    } else if (mode == ComputeMode::calibrated) {
        rates = file.empty() ? rates_of_the_source() : rates_of_file(file);
    }
    for (double& seconds : rates.seconds) {
        seconds *= times;
    }
    rates.reads.scale(times);
    return rates;
}

} // namespace

bool machine_is_simulated() {
    return simulated;
}

bool machine_waits_in_mpi() {
#ifdef GOODSYARD_VIRTUAL
    return false;
#else
    return simulated;
#endif
}

Computation::Computation(ComputeMode mode, const std::string& file, double times)
    : mode_(simulated ? mode : ComputeMode::off), times_(times), rates_(rates_for(mode_, file, times)) {}

void Computation::pass([[maybe_unused]] double duration_s) const {
#ifdef GOODSYARD_VIRTUAL
    running_clock->work(duration_s);
#elif defined(GOODSYARD_SIMULATED)
    if (duration_s > 0) {
        // In seconds of the simulated host, whatever its speed.
        smpi_execute_benched(duration_s);
    }
#endif
}

std::string Computation::label() const {
    if (!simulated) {
        return "real";
    }
    if (mode_ == ComputeMode::off) {
        return "off";
    }
    std::ostringstream text;
    text << (mode_ == ComputeMode::calibrated ? "calibrated " + rates_.date : "fixed");
    if (times_ != 1) {
        text << ", times " << times_;
    }
    return text.str();
}

} // namespace goodsyard
