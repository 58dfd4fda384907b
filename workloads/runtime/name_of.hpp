// Names of types as a program spells them.
#pragma once

#include <string>
#include <typeinfo>

namespace goodsyard::runtime {

/// The name of a type, of that which the compiler gives it.
[[nodiscard]] std::string demangled(const char* name);

template <class T>
[[nodiscard]] std::string name_of() {
    return demangled(typeid(T).name());
}

} // namespace goodsyard::runtime
