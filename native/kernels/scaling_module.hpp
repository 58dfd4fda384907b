#pragma once

#include <nanobind/nanobind.h>

namespace steelyard {

// Gives the module what growth.scaling searches, draws and predicts with.
void bind_scaling(nanobind::module_& module);

} // namespace steelyard
