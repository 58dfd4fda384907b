// What most tests include, precompiled as harness/standard.hpp is.
#pragma once

#include "harness/standard.hpp"

#ifndef __clang__
#include <gtest/gtest.h>
#endif
