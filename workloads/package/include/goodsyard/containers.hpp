// Component containers: map and counting set over ranks, of keys and values of any type.
#pragma once

#include "containers/counting_set.hpp"
#include "containers/map.hpp"
#include "goodsyard/global.hpp"
