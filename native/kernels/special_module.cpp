#include "special_module.hpp"

#include "special.hpp"

#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>

namespace nb = nanobind;

namespace steelyard {

namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename>
using ValuesOf = Values;

std::size_t common_length(std::initializer_list<std::size_t> lengths) {
    for (const std::size_t length : lengths) {
        if (length != *lengths.begin()) {
            throw std::invalid_argument("arrays must have the same length");
        }
    }
    return *lengths.begin();
}

template <typename... Number>
void bind(nb::module_& module, const char* name, double (*function)(Number...)) {
    module.def(name, function);
    module.def(name, [function](const ValuesOf<Number>&... arguments) {
        const std::size_t length = common_length({arguments.shape(0)...});
        auto values = std::make_unique<double[]>(length);
        {
            nb::gil_scoped_release release;
            for (std::size_t i = 0; i < length; ++i) {
                values[i] = function(arguments.data()[i]...);
            }
        }
        double* const data = values.release();
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        return nb::ndarray<nb::numpy, double>(data, {length}, owner);
    });
}

} // namespace

void bind_special(nb::module_& module) {
    bind(module, "normal_cdf", &normal_cdf);
    bind(module, "normal_quantile", &normal_quantile);
    bind(module, "student_cdf", &student_cdf);
    bind(module, "student_quantile", &student_quantile);
    bind(module, "f_cdf", &f_cdf);
    bind(module, "f_sf", &f_sf);
    bind(module, "chi2_cdf", &chi2_cdf);
    bind(module, "chi2_quantile", &chi2_quantile);
    bind(module, "beta_cdf", &beta_cdf);
    bind(module, "beta_quantile", &beta_quantile);
    bind(module, "binomial_pmf", &binomial_pmf);
    bind(module, "binomial_cdf", &binomial_cdf);
    bind(module, "binomial_probability", &binomial_probability);
    bind(module, "binomial_order", &binomial_order);
}

} // namespace steelyard
