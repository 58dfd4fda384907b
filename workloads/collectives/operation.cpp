#include "collectives/operation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "collectives/collective.hpp"
#include "collectives/guideline.hpp"
#include "collectives/litmus.hpp"
#include "mpi/check.hpp"

namespace goodsyard {

namespace {

constexpr double least_late_s = 200e-6;
constexpr double errors_late = 10; ///< Stated errors, which one in twenty exceeds, and none by so much.

/// Leaves nothing behind: it is checked by one rank that comes late.
class Barrier final : public Collective {
  public:
    explicit Barrier(const World& world) : Collective("barrier", world) {}
    void run() override { goodsyard::check(MPI_Barrier(comm_of(world())), "MPI_Barrier"); }
    [[nodiscard]] std::optional<std::string> wrong() override { return std::nullopt; }

    /// A rank that leaves long before the last one came has not waited.
    [[nodiscard]] std::optional<std::string> check(const Starting& starting) override {
        const auto& [team, clock, model, oversubscribed, raw, check_each, drift_s] = starting;
        const double error_s = team.all(Fold::max, model.error95_s(clock.now_s()));
        const double late_s = std::max(least_late_s, errors_late * error_s);
        const int late = team.size() - 1;
        if (team.rank() == late) {
            clock.wait_until(clock.now_s() + late_s, oversubscribed);
        }
        double entered_s = model.global_s(clock.now_s());
        run();
        const double left_s = model.global_s(clock.now_s());
        team.broadcast(entered_s, late);
        if (left_s >= entered_s - late_s / 2) {
            return std::nullopt;
        }
        return "left " + std::to_string((entered_s - left_s) * 1e6) + " us before the last rank came";
    }

  protected:
    [[nodiscard]] int bytes() const override { return 0; }
};

/// One rank's buffer ends up with all: by the library, or along the tree of the litmus test.
class Broadcast : public Collective {
  public:
    Broadcast(const World& world, int bytes) : Broadcast("bcast", world, bytes) {}
    void run() override {
        goodsyard::check(MPI_Bcast(data(), count(), MPI_DOUBLE, 0, comm_of(world())), "MPI_Bcast");
    }
    void spoil() override {
        if (!world().is_root()) {
            spoil_buffer(buffer_);
        }
    }
    [[nodiscard]] std::optional<std::string> wrong() override {
        return first_difference(buffer_, [](std::size_t i) { return element(0, 0, i); });
    }

  protected:
    Broadcast(std::string name, const World& world, int bytes)
        : Collective(std::move(name), world), buffer_(static_cast<std::size_t>(bytes) / sizeof(double)) {
        for (std::size_t i = 0; i < buffer_.size(); ++i) {
            buffer_[i] = element(0, 0, i);
        }
    }
    [[nodiscard]] int bytes() const override { return static_cast<int>(buffer_.size() * sizeof(double)); }
    [[nodiscard]] int count() const { return static_cast<int>(buffer_.size()); }
    [[nodiscard]] double* data() { return buffer_.data(); }

  private:
    Buffer buffer_;
};

class Litmus final : public Broadcast {
  public:
    Litmus(const World& world, int bytes)
        : Broadcast("litmus", world, bytes), part_(tree_part(world.rank(), world.size())) {}
    void run() override { broadcast_along_tree(data(), count(), part_, world()); }

  protected:
    [[nodiscard]] std::string algorithm() const override { return "own"; }

  private:
    TreePart part_;
};

/// Sums over ranks, on rank 0 or on all.
class Reduction final : public Collective {
  public:
    Reduction(const World& world, int bytes, bool to_all)
        : Collective(to_all ? "allreduce" : "reduce", world), to_all_(to_all),
          sent_(static_cast<std::size_t>(bytes) / sizeof(double)), received_(sent_.size()) {
        for (std::size_t i = 0; i < sent_.size(); ++i) {
            sent_[i] = element(world.rank(), 0, i);
        }
    }
    void run() override {
        const auto count = static_cast<int>(sent_.size());
        if (to_all_) {
            goodsyard::check(
                MPI_Allreduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_SUM, comm_of(world())),
                "MPI_Allreduce");
        } else {
            goodsyard::check(
                MPI_Reduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_SUM, 0, comm_of(world())),
                "MPI_Reduce");
        }
    }
    void spoil() override { spoil_buffer(received_); }
    [[nodiscard]] std::optional<std::string> wrong() override {
        if (!to_all_ && !world().is_root()) {
            return std::nullopt;
        }
        return first_difference(received_, [&](std::size_t i) { return element_sum(world().size(), i); });
    }

  protected:
    [[nodiscard]] int bytes() const override { return static_cast<int>(sent_.size() * sizeof(double)); }

  private:
    bool to_all_;
    Buffer sent_;
    Buffer received_;
};

enum class To : int { root, all, each };

/// A block from each rank: gathered on rank 0, on all, or another one for each (alltoall).
class Gathering final : public Collective {
  public:
    Gathering(std::string name, const World& world, int bytes, To to)
        : Collective(std::move(name), world), to_(to),
          block_(static_cast<std::size_t>(bytes) / sizeof(double)),
          sent_(to == To::each ? block_ * static_cast<std::size_t>(world.size()) : block_),
          received_(to == To::root && !world.is_root() ? 0
                                                       : block_ * static_cast<std::size_t>(world.size())) {
        for (std::size_t i = 0; i < sent_.size(); ++i) {
            sent_[i] = element(world.rank(), static_cast<int>(i / block_), i % block_);
        }
    }
    void run() override {
        const auto count = static_cast<int>(block_);
        if (to_ == To::root) {
            goodsyard::check(MPI_Gather(sent_.data(), count, MPI_DOUBLE, received_.data(), count, MPI_DOUBLE,
                                        0, comm_of(world())),
                             "MPI_Gather");
        } else if (to_ == To::all) {
            goodsyard::check(MPI_Allgather(sent_.data(), count, MPI_DOUBLE, received_.data(), count,
                                           MPI_DOUBLE, comm_of(world())),
                             "MPI_Allgather");
        } else {
            goodsyard::check(MPI_Alltoall(sent_.data(), count, MPI_DOUBLE, received_.data(), count,
                                          MPI_DOUBLE, comm_of(world())),
                             "MPI_Alltoall");
        }
    }
    void spoil() override { spoil_buffer(received_); }
    [[nodiscard]] std::optional<std::string> wrong() override {
        const int receiver = to_ == To::each ? world().rank() : 0;
        return first_difference(received_, [&](std::size_t i) {
            return element(static_cast<int>(i / block_), receiver, i % block_);
        });
    }

  protected:
    [[nodiscard]] int bytes() const override { return static_cast<int>(block_ * sizeof(double)); }

  private:
    To to_;
    std::size_t block_;
    Buffer sent_;
    Buffer received_;
};

using Entry = Family<MpiContext>::Entry;

/// An operation whose buffers grow with the ranks.
Entry gathering(const std::string& name, To to, const CollectiveOptions& options) {
    return {name, [name, to, &options](const MpiContext& context) -> std::unique_ptr<Operation> {
                if (options.most_ranks > 0 && context.world.size() > options.most_ranks) {
                    return nullptr;
                }
                return std::make_unique<Gathering>(name, context.world, options.bytes, to);
            }};
}

} // namespace

std::vector<Entry> collective_operations(const CollectiveOptions& options) {
    std::vector<Entry> every = {
        {"barrier", [](const MpiContext& context) { return std::make_unique<Barrier>(context.world); }},
        {"bcast",
         [&](const MpiContext& context) {
             return std::make_unique<Broadcast>(context.world, options.bytes);
         }},
        {"reduce",
         [&](const MpiContext& context) {
             return std::make_unique<Reduction>(context.world, options.bytes, false);
         }},
        {"allreduce",
         [&](const MpiContext& context) {
             return std::make_unique<Reduction>(context.world, options.bytes, true);
         }},
        gathering("gather", To::root, options),
        gathering("allgather", To::all, options),
        gathering("alltoall", To::each, options),
        {"litmus",
         [&](const MpiContext& context) { return std::make_unique<Litmus>(context.world, options.bytes); }},
    };
    std::vector<Entry> rest = guideline_operations(options);
    std::move(rest.begin(), rest.end(), std::back_inserter(every));
    return every;
}

} // namespace goodsyard
