#include <algorithm>
#include <array>
#include <vector>

#include "mpi/check.hpp"
#include "ping/ping.hpp"

namespace goodsyard::ping {

namespace {

class ByMpi final : public Operation {
  public:
    ByMpi(const MpiContext& context, const Asked& request)
        : world_(context.world), pair_(context.team), windows_(request.windows()),
          payload_(static_cast<std::size_t>(request.payload_bytes), std::byte{pattern}) {}

    void prepare() override {
        if (!pair_.sends) {
            std::fill(payload_.begin(), payload_.end(), std::byte{});
        }
    }
    void run() override {
        for (std::uint64_t i = 0; i < windows_; ++i) {
            pair_.sends ? send_window() : receive_window();
        }
    }
    std::optional<std::string> wrong() override {
        const bool is_same = std::all_of(payload_.begin(), payload_.end(),
                                         [](std::byte value) { return value == std::byte{pattern}; });
        return is_same ? std::nullopt
                       : std::optional<std::string>("the last message did not arrive as it was");
    }
    [[nodiscard]] std::vector<Fact> facts() override {
        const auto messages = static_cast<double>(windows_ * window) * pair_.pairs;
        return {{"messages", "", messages},
                {"sent_bytes", "B", messages * static_cast<double>(payload_.size())}};
    }

  private:
    static constexpr unsigned char pattern = 0x5A;
    enum Tag : int { forth, back };

    [[nodiscard]] int bytes() const { return static_cast<int>(payload_.size()); }
    void wait_for_all() {
        goodsyard::check(MPI_Waitall(window, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
    void send_window() {
        for (MPI_Request& request : requests_) {
            goodsyard::check(MPI_Isend(payload_.data(), bytes(), MPI_BYTE, pair_.partner, forth,
                                       comm_of(world_), &request),
                             "MPI_Isend");
        }
        wait_for_all();
        goodsyard::check(
            MPI_Recv(nullptr, 0, MPI_BYTE, pair_.partner, back, comm_of(world_), MPI_STATUS_IGNORE),
            "MPI_Recv");
    }
    void receive_window() {
        for (MPI_Request& request : requests_) {
            goodsyard::check(MPI_Irecv(payload_.data(), bytes(), MPI_BYTE, pair_.partner, forth,
                                       comm_of(world_), &request),
                             "MPI_Irecv");
        }
        wait_for_all();
        goodsyard::check(MPI_Send(nullptr, 0, MPI_BYTE, pair_.partner, back, comm_of(world_)), "MPI_Send");
    }

    const World& world_;
    Pair pair_;
    std::uint64_t windows_;
    std::vector<std::byte> payload_; ///< One for all messages of a window, as in osu_mbw_mr.
    std::array<MPI_Request, window> requests_ = {};
};

} // namespace

std::unique_ptr<Operation> make_plain(const MpiContext& context, const Asked& request) {
    return std::make_unique<ByMpi>(context, request);
}

} // namespace goodsyard::ping
