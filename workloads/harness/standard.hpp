// What most sources include of the standard library, precompiled: a source includes what it uses all the
// same. clang sees nothing in it, so that clang-tidy finds an #include that is missing (scripts/tidy.py).
#pragma once

#ifndef __clang__
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#endif
