#include "runtime/spawns.hpp"

#include <string>

#include "runtime/left_out.hpp"
#include "runtime/tasks.hpp"

namespace goodsyard::runtime {

namespace {

class SpawnsOperation final : public Operation {
  public:
    SpawnsOperation(const MpiContext& context, const Parameters& parameters, const Switches& request)
        : computation_(context.computation), asked_(request), tasks_(parameters, counters_) {}

    void prepare() override { ran_ = 0; }
    void run() override {
        for (std::uint64_t round = 0; round < asked_.rounds; ++round) {
            for (std::uint64_t i = 0; i < asked_.tasks; ++i) {
                tasks_.spawn([this] { ran_++; });
            }
            tasks_.begin_some();
        }
        computation_.charge(Work::fibre, static_cast<double>(asked_.tasks * asked_.rounds));
    }
    std::optional<std::string> wrong() override {
        const std::uint64_t expected = asked_.tasks * asked_.rounds;
        if (ran_ == expected) {
            return std::nullopt;
        }
        return std::to_string(ran_) + " tasks ran in place of " + std::to_string(expected);
    }
    [[nodiscard]] bool checks_each() const override { return true; }

  private:
    const Computation& computation_;
    Switches asked_;
    Counters counters_;
    std::uint64_t ran_ = 0;
    Tasks tasks_;
};

} // namespace

std::unique_ptr<Operation> make_spawns(const MpiContext& context, const Parameters& parameters,
                                       const Switches& request) {
    if (parameters.execution != Execution::fibre) {
        return left_out(context.settings, "spawns", "--execution fibre");
    }
    constexpr double bytes_of_body = 96; // What it captures and which it is, in a vector that grows.
    require_memory(context.world, bytes_of_body * static_cast<double>(request.tasks), "the tasks do",
                   "fewer --live");
    return std::make_unique<SpawnsOperation>(context, parameters, request);
}

} // namespace goodsyard::runtime
