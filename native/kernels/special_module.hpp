#pragma once

#include <nanobind/nanobind.h>

namespace steelyard {

// Gives the module the functions of special.hpp, each for numbers and, elementwise, for arrays of one length.
void bind_special(nanobind::module_& module);

} // namespace steelyard
