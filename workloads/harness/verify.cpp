#include "harness/verify.hpp"

#include "harness/failure.hpp"

namespace goodsyard {

void verify(Operation& operation, const std::string& name, const Starting& starting) {
    fail_together(starting.team, name + " is wrong", operation.check(starting));
}

} // namespace goodsyard
