// Component containers: map, counting set, bag and array over ranks, of keys and values of any type.
#pragma once

#include "containers/array.hpp"
#include "containers/bag.hpp"
#include "containers/counting_set.hpp"
#include "containers/map.hpp"
#include "goodsyard/global.hpp"
