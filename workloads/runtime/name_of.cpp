#include "runtime/name_of.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace goodsyard::runtime {

std::string demangled(const char* name) {
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> spelled(abi::__cxa_demangle(name, nullptr, nullptr, &failed),
                                                         std::free);
    return failed == 0 ? spelled.get() : name;
}

} // namespace goodsyard::runtime
