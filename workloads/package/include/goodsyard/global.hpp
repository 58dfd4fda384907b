// Component global: messages of any size, pointers and arrays over ranks, delegates, loops.
#pragma once

#include "global/delegates.hpp"
#include "global/forall.hpp"
#include "global/global_array.hpp"
#include "global/messages.hpp"
#include "global/symmetric.hpp"
#include "goodsyard/runtime.hpp"
