// Noise on a machine that SimGrid 3.32 simulates: preloaded into the simulator, set by one flag,
//     --cfg=steelyard/noise:LINKS:HOSTS:SEED
//
// LINKS, in [0, 1): the share of every shared link that other jobs' messages take. A message finds a link
// busy with that probability and then waits for an exponential time: the waiting time of a queue M/M/1 whose
// service time is that of a neighbour's packet of 4 KiB (Kleinrock 1975, Queueing Systems 1, eq. 5.123).
// What it transfers goes at 1 - LINKS of the rate that it would have.
//
// HOSTS, in [0, 1): the share of time in which something else has a rank's core, for 10 us at a time, once in
// every 10 us / HOSTS, at a uniformly random moment of it, independently for every rank: detours as in
// Beckman et al. 2006 (10.1109/CLUSTR.2006.311846). What a message costs its sender or receiver (smpi/os,
// smpi/ois, smpi/or) is work for the core, and takes until it has had the core for so long.
//
// Every draw is a hash of seed, place and simulated time: no state, no order of events, the same to the bit.

#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

constexpr double kDetourS = 10e-6;
constexpr double kNeighbourBytes = 4096;

double g_links = 0;
double g_hosts = 0;
std::uint64_t g_seed = 0;

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014, 10.1145/2714064.2660195).
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

// In [0, 1), by seed, place and number of a stretch of time.
double uniform(std::uint64_t place, double stretch) {
    const auto hash = mixed(mixed(mixed(g_seed) ^ place) ^ static_cast<std::uint64_t>(stretch));
    return static_cast<double>(hash >> 11) * 0x1p-53;
}

// FNV-1a: what a standard library hashes a name to is its own affair.
std::uint64_t hash_of(const std::string& name) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const unsigned char c : name) {
        hash = (hash ^ c) * 0x100000001b3U;
    }
    return hash;
}

// "BYTES:VALUE[:PER_BYTE];…" of SMPI's flags: what holds for sizes above BYTES, up to the next.
class Piecewise {
  public:
    Piecewise(const std::string& flag, double below) : below_(below) {
        const auto text = simgrid::config::get_value<std::string>(flag.c_str());
        std::istringstream pieces(text);
        for (std::string piece; std::getline(pieces, piece, ';');) {
            std::vector<double> numbers;
            std::istringstream parts(piece);
            for (std::string part; std::getline(parts, part, ':');) {
                std::size_t read = 0;
                numbers.push_back(std::stod(part, &read));
                if (read != part.size()) {
                    throw std::invalid_argument("noise needs plain numbers in " + flag + ":" + text);
                }
            }
            if (numbers.size() < 2) {
                throw std::invalid_argument("noise cannot read " + flag + ":" + text);
            }
            pieces_.push_back({numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : 0});
        }
        std::sort(pieces_.begin(), pieces_.end(),
                  [](const Piece& a, const Piece& b) { return a.above < b.above; });
    }

    double operator()(double bytes) const {
        double noise_s = below_;
        if (std::isnan(noise_s)) {
            noise_s = pieces_.empty() ? 0 : at(pieces_.front(), bytes);
        }
        for (const auto& piece : pieces_) {
            if (bytes <= piece.above) {
                break;
            }
            noise_s = at(piece, bytes);
        }
        return noise_s;
    }

  private:
    struct Piece {
        double above, value, per_byte;
    };
    static double at(const Piece& piece, double bytes) { return piece.value + piece.per_byte * bytes; }
    double below_; // NaN: the first piece holds from 0 on.
    std::vector<Piece> pieces_;
};

// When the core of `rank` has worked for `work_s` from `now_s` on: the time that passes.
double elapsed(double work_s, double now_s, std::uint64_t rank) {
    const double stretch_s = kDetourS / g_hosts;
    double time_s = now_s;
    for (double stretch = std::floor(now_s / stretch_s);; ++stretch) {
        const double start_s = stretch * stretch_s + uniform(rank, stretch) * (stretch_s - kDetourS);
        if (time_s + work_s <= start_s) {
            return time_s + work_s - now_s;
        }
        if (time_s < start_s + kDetourS) {
            work_s -= std::max(0.0, start_s - time_s);
            time_s = start_s + kDetourS;
        }
    }
}

void interrupt_cores() {
    const auto delayed = [](const char* flag) {
        return [cost = Piecewise(flag, std::nan(""))](std::size_t bytes, s4u::Host*, s4u::Host*) {
            const auto rank = mixed(static_cast<std::uint64_t>(s4u::this_actor::get_pid()));
            return elapsed(cost(static_cast<double>(bytes)), s4u::Engine::get_clock(), rank);
        };
    };
    smpi_register_op_cost_callback(SmpiOperation::SEND, delayed("smpi/os"));
    smpi_register_op_cost_callback(SmpiOperation::ISEND, delayed("smpi/ois"));
    smpi_register_op_cost_callback(SmpiOperation::RECV, delayed("smpi/or"));
}

// Links that messages share; the others (inside a host, a switch that is never full) have no queue.
bool is_shared(const s4u::Link* link) {
    return link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE;
}

double waiting_s(const s4u::Link* link) {
    static std::unordered_map<const s4u::Link*, std::uint64_t> places;
    const auto [place, is_new] = places.try_emplace(link, 0);
    if (is_new) {
        place->second = hash_of(link->get_name());
    }
    const double service_s = kNeighbourBytes / link->get_bandwidth();
    const double drawn = uniform(place->second, std::floor(s4u::Engine::get_clock() / service_s));
    return drawn < g_links ? -service_s / (1 - g_links) * std::log1p(-drawn / g_links) : 0;
}

void load_links() {
    using Links = std::vector<s4u::Link*>;
    using Zones = std::unordered_set<s4u::NetZone*>;
    auto* network = s4u::Engine::get_instance()->get_netzone_root()->get_network_model();
    network->set_lat_factor_cb([factor = Piecewise("smpi/lat-factor", 1)](double bytes, const s4u::Host*,
                                                                          const s4u::Host*,
                                                                          const Links& links, const Zones&) {
        double wire_s = 0;
        double queues_s = 0;
        for (const auto* link : links) {
            wire_s += link->get_latency();
            if (is_shared(link)) {
                queues_s += waiting_s(link);
            }
        }
        // SimGrid multiplies the wire's latency by what is returned here.
        return factor(bytes) + (wire_s > 0 ? queues_s / wire_s : 0);
    });
    network->set_bw_factor_cb([factor = Piecewise("smpi/bw-factor", 1)](double bytes, const s4u::Host*,
                                                                        const s4u::Host*, const Links& links,
                                                                        const Zones&) {
        return factor(bytes) * (std::any_of(links.begin(), links.end(), is_shared) ? 1 - g_links : 1);
    });
}

void read(const std::string& text) {
    char colon1 = 0;
    char colon2 = 0;
    std::istringstream words(text);
    words >> g_links >> colon1 >> g_hosts >> colon2 >> g_seed;
    const bool shares = g_links >= 0 && g_links < 1 && g_hosts >= 0 && g_hosts < 1;
    if (!words || !words.eof() || colon1 != ':' || colon2 != ':' || !shares) {
        throw std::invalid_argument("steelyard/noise is LINKS:HOSTS:SEED with shares in [0, 1), not " + text);
    }
}

// SimGrid refuses a flag that nobody declared: without this library there is no run that only looks noisy.
__attribute__((constructor)) void declare() {
    simgrid::config::declare_flag<std::string>("steelyard/noise", "LINKS:HOSTS:SEED", "0:0:0");
    s4u::Engine::on_platform_created_cb([] {
        read(simgrid::config::get_value<std::string>("steelyard/noise"));
        if (g_hosts > 0) {
            interrupt_cores();
        }
        if (g_links > 0) {
            load_links();
        }
    });
}

} // namespace
