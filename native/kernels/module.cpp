// Python's door to the kernels: arrays in, arrays out.
#include "resample_module.hpp"
#include "scaling_module.hpp"
#include "special_module.hpp"

#include <nanobind/nanobind.h>

NB_MODULE(_kernels, module) {
    // The command line leaves cycles of references at its end to the kernel, which frees it faster; it is no
    // leak, of which users would be told on stderr.
    nanobind::set_leak_warnings(false);
    module.doc() = "Compiled kernels of Steelyard.";
    steelyard::bind_special(module);
    steelyard::bind_scaling(module);
    steelyard::bind_resampling(module);
}
