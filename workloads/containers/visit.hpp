// How a visitor of a container is called.
#pragma once

#include <type_traits>

namespace goodsyard::containers {

/// `f(container, key, value, arguments…)` where it takes the container of this rank, by which it may go on to
/// other keys, or `f(key, value, arguments…)`.
template <class Container, class F, class Key, class Value, class... Arguments>
void visit(Container& container, F& f, const Key& key, Value& value, Arguments&... arguments) {
    if constexpr (std::is_invocable_v<F&, Container&, const Key&, Value&, Arguments&...>) {
        f(container, key, value, arguments...);
    } else {
        f(key, value, arguments...);
    }
}

} // namespace goodsyard::containers
