#pragma once

#include <nanobind/nanobind.h>

namespace steelyard {

// Gives the module the studentised bootstraps of resample.hpp.
void bind_resampling(nanobind::module_& module);

} // namespace steelyard
