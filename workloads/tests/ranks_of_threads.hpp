// Ranks that are threads: what is collective can be tested without MPI, at any number of ranks, and with any
// of them failing.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "harness/ranks_of_a_process.hpp"

namespace goodsyard {

/// Where the ranks meet.
struct Meeting {
    explicit Meeting(int ranks) : places(static_cast<std::size_t>(ranks)), gate(ranks) {}
    Places places;
    std::barrier<> gate;
};

class ThreadRank final : public RankOfProcess {
  public:
    ThreadRank(Meeting& meeting, int rank) : RankOfProcess(meeting.places, rank), meeting_(meeting) {}
    void barrier() const override { meeting_.gate.arrive_and_wait(); }

  private:
    Meeting& meeting_;
};

/// Run `body` as so many ranks.
inline void as_ranks(int ranks, const std::function<void(const Team&)>& body) {
    Meeting meeting(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] { body(ThreadRank(meeting, rank)); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace goodsyard
