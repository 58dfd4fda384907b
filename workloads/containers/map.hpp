// A map whose keys are dealt to ranks by their hash, with the semantics of YGM's `map`.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "containers/own_table.hpp"
#include "containers/owner.hpp"
#include "containers/visit.hpp"
#include "global/messages.hpp"
#include "global/symmetric.hpp"

namespace goodsyard::containers {

/// `Key` and `Value` are of any type that can be serialised. Functions that begin with `async_` are legal
/// everywhere, and have happened when the next collective function of any container, or the epoch, has
/// ended; the others are collective, outside of epochs, unless it is said.
///
/// Outside of epochs, functions that begin with `async_` also handle what has arrived for `messages`, and so
/// for all containers that share it: memory does not grow with the traffic. A visitor may run within each of
/// them, but not within `for_all` and while a table of `own()` is there.
///
/// Operations on one key are atomic, and have no order.
template <class Key, class Value, class Hash = std::hash<Key>>
class Map {
  public:
    /// Collective. `messages` outlives this.
    Map(const Team& team, global::Messages& messages, runtime::Place place = runtime::Place::current())
        : messages_(messages), user_(messages, runtime::with_place(name(), place)),
          everywhere_(team, *this, name(), place) {
        messages.admit_outside();
    }
    Map(const Map&) = delete;
    Map& operator=(const Map&) = delete;

    [[nodiscard]] int owner(const Key& key) const {
        return owner_of<Key, Hash>(key, messages_.runtime().size());
    }

    /// Set the value of a key.
    void async_insert(const Key& key, const Value& value) {
        send(
            at(key),
            [](Map& map, Key& local, Value& sent) { map.own_.insert_or_assign(local, std::move(sent)); }, key,
            value);
    }
    /// Set it where the key has none.
    void async_insert_if_missing(const Key& key, const Value& value) {
        send(
            at(key), [](Map& map, Key& local, Value& sent) { map.own_.try_emplace(local, std::move(sent)); },
            key, value);
    }
    /// Set it to `fold(value, given)`, and where the key has none to what is given.
    template <class Fold>
    void async_reduce(const Key& key, const Value& value, Fold fold) {
        send(
            at(key), [fold](Map& map, Key& local, Value& sent) { map.reduce_own(local, sent, fold); }, key,
            value);
    }
    void async_erase(const Key& key) {
        send(at(key), [](Map& map, Key& local) { map.own_.erase(local); }, key);
    }
    /// Execute `f(key, value, arguments…)` on the owner, with a reference to the value, which is made where
    /// there is none; or `f(map, key, value, arguments…)` with the map of the owner, by which it may go on.
    template <class F, class... Arguments>
    void async_visit(const Key& key, F f, const Arguments&... arguments) {
        send(
            at(key),
            [f](Map& map, Key& local, auto&... sent) {
                const auto entry = map.own_.try_emplace(local).first;
                visit(map, f, entry->first, entry->second, sent...);
            },
            key, arguments...);
    }
    /// The same, where there is one.
    template <class F, class... Arguments>
    void async_visit_if_contains(const Key& key, F f, const Arguments&... arguments) {
        send(
            at(key),
            [f](Map& map, Key& local, auto&... sent) {
                if (const auto entry = map.own_.find(local); entry != map.own_.end()) {
                    visit(map, f, entry->first, entry->second, sent...);
                }
            },
            key, arguments...);
    }

    /// `f(key, value)` for the keys of each rank, on it, when all that was begun has happened.
    template <class F>
    void for_all(F f) {
        messages_.runtime().epoch();
        const runtime::Runtime::Loop loop(messages_.runtime(), "for_all of a Map");
        for (auto& [key, value] : own_) {
            f(key, value);
        }
    }
    /// Keys of all ranks.
    [[nodiscard]] std::uint64_t size() {
        return messages_.runtime()
            .epoch([] { return false; }, [this] { return runtime::Agreed{.sum = own_.size()}; })
            .sum;
    }
    void clear() {
        messages_.runtime().epoch();
        own_.clear();
    }

    /// `async_reduce` of a key of this rank, at once. Not collective, and not within `for_all`.
    template <class Fold>
    void reduce_own(const Key& key, const Value& value, Fold fold) {
        messages_.runtime().engine().check_no_loop("reduce_own()");
        const auto [entry, is_new] = own_.try_emplace(key, value);
        if (!is_new) {
            entry->second = fold(entry->second, value);
        }
    }
    /// This rank's keys. Not collective.
    [[nodiscard]] OwnTable<std::unordered_map<Key, Value, Hash>> own() const {
        return {own_, messages_.runtime()};
    }

  private:
    static std::string name() {
        return "a Map<" + runtime::name_of<Key>() + ", " + runtime::name_of<Value>() + ">";
    }
    template <class F, class... Arguments>
    void send(const global::GlobalPtr<Map>& map, const F& f, const Arguments&... arguments) {
        messages_.async(map, f, arguments...);
        user_.note_send();
        messages_.runtime().handle_outside();
    }
    [[nodiscard]] global::GlobalPtr<Map> at(const Key& key) const { return everywhere_.on(owner(key)); }

    global::Messages& messages_;
    global::Messages::User user_;
    std::unordered_map<Key, Value, Hash> own_;
    global::Symmetric<Map> everywhere_;
};

} // namespace goodsyard::containers
