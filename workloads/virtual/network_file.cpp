// The file of a network: README.md has its keys.

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "harness/failure.hpp"
#include "harness/input_file.hpp"
#include "virtual/network.hpp"

namespace goodsyard::virtual_time {

namespace {

using Json = nlohmann::json;

constexpr const char* prefix = "virtual:";
constexpr int most_nodes = 1 << 20;
constexpr int most_ranks_of_node = 4096;

/// A table of the file, which knows where it is and which of its keys were asked for.
class Table {
  public:
    Table(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
        if (!json.is_object()) {
            throw UsageError((place_.empty() ? "" : place_ + ": ") + "expected a table, got " + json.dump());
        }
    }

    [[nodiscard]] std::string place(const std::string& key) const {
        return place_.empty() ? key : place_ + "." + key;
    }
    /// Null where there is none.
    const Json* find(const std::string& key) {
        known_.insert(key);
        const auto result = json_.find(key);
        return result == json_.end() ? nullptr : &*result;
    }
    double number(const std::string& key, double otherwise) {
        const Json* const found = find(key);
        if (found == nullptr) {
            return otherwise;
        }
        const double value = found->is_number() ? found->get<double>() : -1;
        if (!(value >= 0) || !std::isfinite(value)) {
            throw UsageError(place(key) + ": expected a number, 0 or more, got " + found->dump());
        }
        return value;
    }
    int count(const std::string& key, int otherwise, int most) {
        const Json* const found = find(key);
        return found == nullptr ? otherwise : count_of(*found, place(key), most);
    }
    static int count_of(const Json& value, const std::string& place, int most) {
        if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > most) {
            throw UsageError(place + ": expected an integer from 1 to " + std::to_string(most) + ", got " +
                             value.dump());
        }
        return value.get<int>();
    }
    /// Raise UsageError where there is a key that was not asked for.
    void check_all_known() const {
        for (const auto& [key, value] : json_.items()) {
            if (known_.count(key) == 0) {
                std::string keys;
                for (const std::string& known_key : known_) {
                    keys += (keys.empty() ? "" : ", ") + known_key;
                }
                throw UsageError(place(key) + ": unknown key; it may have " + keys);
            }
        }
    }

  private:
    const Json& json_;
    std::string place_;
    std::set<std::string> known_;
};

std::vector<SizeClass> sizes_of(const Json& json, const std::string& place) {
    if (!json.is_array()) {
        throw UsageError(place + ": expected an array of tables, got " + json.dump());
    }
    std::vector<SizeClass> sizes;
    for (std::size_t i = 0; i < json.size(); ++i) {
        Table table(json[i], place + "[" + std::to_string(i) + "]");
        SizeClass size;
        size.from_bytes = static_cast<std::uint64_t>(table.number("from_bytes", 0));
        size.latency = table.number("latency", 1);
        size.byte = table.number("byte", 1);
        table.check_all_known();
        if (!sizes.empty() && size.from_bytes <= sizes.back().from_bytes) {
            throw UsageError(table.place("from_bytes") + ": expected more than " +
                             std::to_string(sizes.back().from_bytes) + ", that of the class before");
        }
        sizes.push_back(size);
    }
    return sizes;
}

Link link_of(const Json* json, const std::string& place) {
    Link link;
    if (json == nullptr) {
        return link;
    }
    Table table(*json, place);
    link.latency_s = table.number("latency_s", 0);
    link.hop_s = table.number("hop_s", 0);
    link.send_s = table.number("send_s", 0);
    link.send_byte_s = table.number("send_byte_s", 0);
    link.receive_s = table.number("receive_s", 0);
    link.receive_byte_s = table.number("receive_byte_s", 0);
    link.gap_s = table.number("gap_s", 0);
    link.byte_s = table.number("byte_s", 0);
    if (const Json* const sizes = table.find("sizes")) {
        link.sizes = sizes_of(*sizes, table.place("sizes"));
    }
    table.check_all_known();
    return link;
}

Topology topology_of(const Json* json, int nodes) {
    Topology topology;
    if (json == nullptr) {
        return topology;
    }
    Table table(*json, "topology");
    const Json* const kind = table.find("kind");
    const Json* const extents = table.find("extents");
    table.check_all_known();
    const std::string word = kind != nullptr && kind->is_string() ? kind->get<std::string>() : "";
    if (word == "torus") {
        topology.kind = TopologyKind::torus;
    } else if (word == "fat-tree") {
        topology.kind = TopologyKind::fat_tree;
    } else if (word != "crossbar") {
        throw UsageError("topology.kind: expected crossbar, torus or fat-tree, got " +
                         (kind == nullptr ? "none" : kind->dump()));
    }
    if (topology.kind == TopologyKind::crossbar) {
        return topology;
    }
    if (extents == nullptr || !extents->is_array() || extents->empty()) {
        throw UsageError("topology.extents: expected an array of integers");
    }
    long long hosts = 1;
    for (std::size_t i = 0; i < extents->size(); ++i) {
        const std::string place = "topology.extents[" + std::to_string(i) + "]";
        topology.extents.push_back(Table::count_of((*extents)[i], place, most_nodes));
        hosts = std::min<long long>(hosts * topology.extents.back(), most_nodes);
    }
    if (hosts < nodes) {
        throw UsageError("topology.extents: they make " + std::to_string(hosts) + " hosts, and nodes is " +
                         std::to_string(nodes));
    }
    return topology;
}

} // namespace

Network network_from(const std::string& json) {
    const Json document = Json::parse(json, nullptr, false);
    if (document.is_discarded()) {
        throw UsageError("not JSON");
    }
    Table table(document, "");
    const Json* const format = table.find("format");
    const Json* const version = table.find("version");
    if (format == nullptr || *format != "steelyard-network" || version == nullptr || *version != 1) {
        throw UsageError("not version 1 of steelyard-network");
    }
    table.find("comment");
    Network network;
    network.nodes = table.count("nodes", 0, most_nodes);
    if (network.nodes == 0) {
        throw UsageError("nodes: missing");
    }
    network.ranks_of_node = table.count("ranks_of_node", 1, most_ranks_of_node);
    network.topology = topology_of(table.find("topology"), network.nodes);
    network.outside = link_of(table.find("outside"), "outside");
    network.inside = link_of(table.find("inside"), "inside");
    network.look_s = table.number("look_s", 0);
    if (table.find("synchronous_from_bytes") != nullptr) {
        network.synchronous_from_bytes =
            static_cast<std::uint64_t>(table.number("synchronous_from_bytes", 0));
    }
    table.check_all_known();
    return network;
}

Network network_of_argument(const std::string& argument) {
    if (!argument.starts_with(prefix)) {
        throw UsageError("--network " + (argument.empty() ? "is missing" : argument) +
                         ": expected virtual:FILE");
    }
    const std::string name = argument.substr(std::string(prefix).size());
    if (const auto reason = unreadable(name)) {
        throw UsageError("--network: " + name + " " + *reason);
    }
    std::ifstream file(name);
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    try {
        return network_from(json);
    } catch (const UsageError& error) {
        throw UsageError("--network " + name + ": " + error.what());
    }
}

} // namespace goodsyard::virtual_time
