// Component global: messages of any size, pointers and arrays over ranks, delegates, bulk, loops.
#pragma once

#include "global/array_cursor.hpp"
#include "global/bulk.hpp"
#include "global/combined.hpp"
#include "global/delegates.hpp"
#include "global/everywhere.hpp"
#include "global/forall.hpp"
#include "global/global_array.hpp"
#include "global/messages.hpp"
#include "global/symmetric.hpp"
#include "goodsyard/runtime.hpp"
