// The few functions of statistics that a search needs in Python: SciPy has them, and takes a fifth of a
// second to import, which is a third of a whole command.
#pragma once

namespace steelyard {

// P(F > f) of Fisher's F with d1 and d2 degrees of freedom, both above 0.
double f_upper_tail(double d1, double d2, double f);

// P(Z < z) of a standard normal distribution.
double normal_below(double z);

} // namespace steelyard
