// The mount namespace of the runner: what it mounts there only it and its children see.
#pragma once

namespace steelyard {

/// Gives this process a mount namespace of its own, once. What the host mounts later is still seen in it;
/// what is mounted in it is seen nowhere else. 0 or errno; EPERM without the right to mount.
int separate_mounts();

} // namespace steelyard
