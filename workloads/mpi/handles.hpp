// MPI's handles, freed when they go out of scope.
#pragma once

#include <mpi.h>
#include <utility>

namespace workloads {

/// Owns a handle; `Free` is the MPI call that gives it back.
template <class Handle, int (*Free)(Handle*)>
class Owned {
  public:
    Owned(Handle handle, Handle null) : handle_(handle), null_(null) {}
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, other.null_)), null_(other.null_) {}
    Owned& operator=(Owned&&) = delete;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (handle_ != null_)
            Free(&handle_);
    }
    [[nodiscard]] Handle get() const { return handle_; }

  private:
    Handle handle_;
    Handle null_;
};

inline int free_communicator(MPI_Comm* comm) {
    return MPI_Comm_free(comm);
}
inline int free_window(MPI_Win* window) {
    return MPI_Win_free(window);
}
inline int free_group(MPI_Group* group) {
    return MPI_Group_free(group);
}

using OwnedComm = Owned<MPI_Comm, free_communicator>;
using OwnedWindow = Owned<MPI_Win, free_window>;
using OwnedGroup = Owned<MPI_Group, free_group>;

} // namespace workloads
