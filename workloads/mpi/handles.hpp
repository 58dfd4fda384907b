// MPI's handles, given back when they go out of scope.
#pragma once

#include <exception>
#include <mpi.h>
#include <utility>

#include "mpi/check.hpp"

namespace goodsyard {

/// Owns a handle; moved, never copied. `Kind` says which value is none, and how one is given back.
///
/// Give a handle back by leaving its scope on all ranks together, where MPI wants that (communicators,
/// windows). When another exception is on its way nothing is: the program ends, and other ranks may never
/// come.
template <class Kind>
class Owned {
  public:
    using Handle = Kind::Handle;

    Owned() : handle_(Kind::null()) {}
    explicit Owned(Handle handle) : handle_(handle) {}
    Owned(Owned&& second) noexcept : handle_(std::exchange(second.handle_, Kind::null())) {}
    Owned& operator=(Owned&& second) noexcept {
        Owned drained(std::move(second));
        std::swap(handle_, drained.handle_);
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (handle_ != Kind::null() && std::uncaught_exceptions() == 0) {
            Kind::give_back(handle_);
        }
    }

    [[nodiscard]] Handle get() const { return handle_; }
    [[nodiscard]] explicit operator bool() const { return handle_ != Kind::null(); }

    /// Where an MPI call is to write a new handle.
    [[nodiscard]] Handle* out() {
        *this = Owned();
        return &handle_;
    }

  protected:
    /// For calls that change a handle and give it back by themselves.
    [[nodiscard]] Handle* held() { return &handle_; }

  private:
    Handle handle_;
};

namespace handles {

struct Comm {
    using Handle = MPI_Comm;
    static Handle null() { return MPI_COMM_NULL; }
    static void give_back(Handle& handle) { MPI_Comm_free(&handle); }
};

struct Group {
    using Handle = MPI_Group;
    static Handle null() { return MPI_GROUP_NULL; }
    static void give_back(Handle& handle) { MPI_Group_free(&handle); }
};

struct Window {
    using Handle = MPI_Win;
    static Handle null() { return MPI_WIN_NULL; }
    static void give_back(Handle& handle) { MPI_Win_free(&handle); }
};

struct Datatype {
    using Handle = MPI_Datatype;
    static Handle null() { return MPI_DATATYPE_NULL; }
    static void give_back(Handle& handle) { MPI_Type_free(&handle); }
};

struct Reduction {
    using Handle = MPI_Op;
    static Handle null() { return MPI_OP_NULL; }
    static void give_back(Handle& handle) { MPI_Op_free(&handle); }
};

/// A message on its way is given up: once marked for cancelling it can be waited for, whatever the other rank
/// does (MPI 4.0, 3.8.4). A collective operation cannot be: `wait` for it.
struct Request {
    using Handle = MPI_Request;
    static Handle null() { return MPI_REQUEST_NULL; }
    static void give_back(Handle& handle) {
        if (MPI_Cancel(&handle) == MPI_SUCCESS) {
            MPI_Wait(&handle, MPI_STATUS_IGNORE);
        }
    }
};

} // namespace handles

using OwnedComm = Owned<handles::Comm>;
using OwnedGroup = Owned<handles::Group>;
using OwnedWindow = Owned<handles::Window>;
using OwnedDatatype = Owned<handles::Datatype>;
using OwnedOp = Owned<handles::Reduction>;

/// A communicator of the same ranks, on which nobody else's messages are. Collective.
[[nodiscard]] inline OwnedComm duplicate(MPI_Comm comm) {
    OwnedComm local;
    check(MPI_Comm_dup(comm, local.out()), "MPI_Comm_dup");
    return local;
}

class OwnedRequest : public Owned<handles::Request> {
  public:
    using Owned::Owned;

    /// Wait until it is complete; the handle is none afterwards.
    MPI_Status wait() {
        MPI_Status status{};
        check(MPI_Wait(held(), &status), "MPI_Wait");
        return status;
    }
};

} // namespace goodsyard
