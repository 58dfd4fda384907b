// Functions with arguments of any size and type, executed on other ranks: remote procedures without an
// answer, as YGM's `async`.
//
// B. Priest, T. Steil, G. Sanders, R. Pearce: You've Got Mail (YGM): building missing asynchronous
// communication primitives, IPDPSW 2019.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "global/global_ptr.hpp"
#include "runtime/record_channel.hpp"
#include "runtime/serialisation.hpp"

namespace goodsyard::global {

class Messages;

/// What is executed where a record arrives; its arguments are the record's.
using Procedure = void (*)(Messages& self, void* object, runtime::Reader& arguments, int from);

/// By number, which is the same on all ranks: they run the same program.
inline constinit std::vector<Procedure> procedures;

[[nodiscard]] inline std::uint32_t enrol(Procedure procedure) {
    procedures.push_back(procedure);
    return static_cast<std::uint32_t>(procedures.size() - 1);
}
template <Procedure procedure>
inline const std::uint32_t procedure_number = enrol(procedure);

/// What an argument arrives as: a value, and of a C string a std::string.
template <class T>
using Sent =
    std::conditional_t<std::is_same_v<std::decay_t<T>, const char*> || std::is_same_v<std::decay_t<T>, char*>,
                       std::string, std::decay_t<T>>;

/// Made in the same order on all ranks as channels are, before the epoch in which it is used.
///
/// A function captures values that are trivially copyable, or nothing; it is executed in the receive loop of
/// the rank that it is sent to, atomically, may send, and cannot wait. What it raises ends the epoch on that
/// rank. Messages have no order. All have been executed when the epoch has ended. Arguments are serialised
/// (runtime/serialisation.hpp), and arrive as values; a `std::span<const std::byte>` arrives as a view that
/// ends with the call.
class Messages {
  public:
    explicit Messages(runtime::Runtime& runtime, runtime::Place place = runtime::Place::current())
        : runtime_(runtime), channel_(
                                 runtime,
                                 [this](std::span<const std::byte> record, int from) {
                                     runtime::Reader reader(record);
                                     const auto [procedure, object] = reader.read<Head>();
                                     if (procedure >= procedures.size()) [[unlikely]] {
                                         refuse(procedure, from);
                                     }
                                     // NOLINTNEXTLINE(performance-no-int-to-ptr)
                                     void* const address = reinterpret_cast<void*>(object);
                                     procedures[procedure](*this, address, reader, from);
                                 },
                                 "functions of Messages", place) {}
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    [[nodiscard]] runtime::Runtime& runtime() { return runtime_; }

    /// Let what arrives be handled outside of epochs too, when `Runtime::handle_outside` is called, as
    /// containers do. On all ranks.
    void admit_outside() { channel_.admit_outside(); }

    /// Execute `f(object, arguments…)` on the object's rank; or `f(here, from, object, arguments…)` with the
    /// Messages of that rank, by which it may reply, and the rank that has sent it. Legal everywhere.
    template <class T, class F, class... Arguments>
    void async(GlobalPtr<T> object, const F& f, const Arguments&... arguments) {
        send<T, F, Sent<Arguments>...>(object.rank, object.address(), f, arguments...);
    }
    /// The same without an object: `f(arguments…)`, or `f(here, from, arguments…)`, on rank `to`.
    template <class F, class... Arguments>
    void async(int to, const F& f, const Arguments&... arguments) {
        send<void, F, Sent<Arguments>...>(to, nullptr, f, arguments...);
    }

  private:
    struct Head {
        std::uint32_t procedure;
        std::uintptr_t object; ///< Its address on the rank that it is sent to; 0: none.
    };

    [[noreturn]] void refuse(std::uint32_t procedure, int from) const {
        runtime_.refuse(channel_.name() + ": rank " + std::to_string(from) + " has sent function " +
                        std::to_string(procedure) + ", and there are " + std::to_string(procedures.size()) +
                        ": run the same program on all ranks");
    }
    template <class T, class F, class... Arguments, class... Values>
    void send(int to, T* object, const F& f, const Values&... arguments) {
        static_assert(std::is_trivially_copyable_v<F>,
                      "a function captures values that can be copied as bytes");
        static_assert(
            runtime::Portable<F>,
            "a function is executed on another rank, where what it captures by reference ([&], this) "
            "or as a pointer, and the address of a function, mean nothing: capture values, and send a "
            "lambda in place of a function's name");
        // Not one of this: while a fibre waits for room, others send.
        std::vector<std::byte> record = std::exchange(spare_, {});
        record.clear();
        runtime::Writer writer(record);
        writer(
            Head{procedure_number<&execute<T, F, Arguments...>>, reinterpret_cast<std::uintptr_t>(object)});
        if constexpr (!std::is_empty_v<F>) {
            writer(f);
        }
        (writer(static_cast<const Arguments&>(arguments)), ...);
        channel_.send(to, record);
        spare_ = std::move(record);
    }

    template <class T, class F, class... Arguments>
    static void execute(Messages& self, void* object, runtime::Reader& reader, int from) {
        F f = read_function<F>(reader);
        std::tuple<Arguments...> arguments{reader.read<Arguments>()...}; // In braces, from left to right.
        std::apply(
            [&](Arguments&... each) {
                if constexpr (std::is_void_v<T>) {
                    if constexpr (std::is_invocable_v<F&, Messages&, int, Arguments&...>) {
                        f(self, from, each...);
                    } else {
                        f(each...);
                    }
                } else if constexpr (std::is_invocable_v<F&, Messages&, int, T&, Arguments&...>) {
                    f(self, from, *static_cast<T*>(object), each...);
                } else {
                    f(*static_cast<T*>(object), each...);
                }
            },
            arguments);
    }
    template <class F>
    static F read_function(runtime::Reader& reader) {
        if constexpr (std::is_empty_v<F>) {
            return std::bit_cast<F>(std::byte{});
        } else {
            return reader.read<F>();
        }
    }

    runtime::Runtime& runtime_;
    std::vector<std::byte> spare_; ///< Memory of the last record.
    runtime::RecordChannel channel_;
};

} // namespace goodsyard::global
