/// What the runner's binary does under other names (its word 0), beside a program that is measured.
#pragma once

namespace steelyard {

/// steelyard-cache: see cache.cpp. Returns the exit code.
[[nodiscard]] int treat_cache(int count, char** arguments);

/// steelyard-load: see load.cpp. Returns the exit code.
[[nodiscard]] int start_load(int count, char** arguments);

} // namespace steelyard
