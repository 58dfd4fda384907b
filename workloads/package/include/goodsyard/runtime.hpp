// Component runtime: active messages, tasks and what they wait for, stealing, simulated ranks.
#pragma once

#include "goodsyard/harness.hpp"
#include "runtime/alone.hpp"
#include "runtime/channel.hpp"
#include "runtime/completion_event.hpp"
#include "runtime/control_objects.hpp"
#include "runtime/simulated_network.hpp"
#include "runtime/stealable.hpp"
