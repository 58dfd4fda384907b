#include "runtime/switches.hpp"

#include <string>

#include "runtime/left_out.hpp"
#include "runtime/tasks.hpp"

namespace goodsyard::runtime {

namespace {

/// All are active.
Parameters unlimited(Parameters parameters) {
    parameters.active_tasks = Tasks::unlimited;
    return parameters;
}

class SwitchesOperation final : public Operation {
  public:
    SwitchesOperation(const MpiContext& context, const Parameters& parameters, const Switches& request)
        : computation_(context.computation),
          kind_(parameters.execution == Execution::fibre ? Work::fibre_switch : Work::handler),
          asked_(request), tasks_(unlimited(parameters), counters_) {
        for (std::uint64_t i = 0; i < request.tasks; ++i) {
            if (parameters.execution == Execution::fibre) {
                tasks_.run_fibre([this] {
                    while (!ends_) {
                        ++switches_;
                        tasks_.yield();
                    }
                });
            } else {
                tasks_.run(yielding(this));
            }
        }
    }
    ~SwitchesOperation() override {
        ends_ = true;
        tasks_.run_ready();
    }

    void prepare() override { switches_ = 0; }
    void run() override {
        for (std::uint64_t i = 0; i < asked_.rounds; ++i) {
            tasks_.run_ready();
        }
        computation_.charge(kind_, static_cast<double>(asked_.tasks * asked_.rounds));
    }
    std::optional<std::string> wrong() override {
        if (switches_ == asked_.tasks * asked_.rounds) {
            return std::nullopt;
        }
        return std::to_string(switches_) + " switches in place of " +
               std::to_string(asked_.tasks * asked_.rounds);
    }
    [[nodiscard]] bool checks_each() const override { return true; }

  private:
    static Task yielding(SwitchesOperation* self) {
        while (!self->ends_) {
            ++self->switches_;
            co_await self->tasks_.yielded();
        }
    }

    const Computation& computation_;
    Work kind_;
    Switches asked_;
    Counters counters_;
    std::uint64_t switches_ = 0;
    bool ends_ = false;
    Tasks tasks_;
};

} // namespace

std::unique_ptr<Operation> make_switches(const MpiContext& context, const Parameters& parameters,
                                         const Switches& request) {
    if (parameters.execution == Execution::handler) {
        return left_out(context.settings, "switches", "--execution fibre or coroutine");
    }
    constexpr double bytes_of_coroutine = 128;
    const double bytes =
        parameters.execution == Execution::fibre ? bytes_of_task(parameters) : bytes_of_coroutine;
    require_memory(context.world, bytes * static_cast<double>(request.tasks), "the tasks do", "fewer --live");
    return std::make_unique<SwitchesOperation>(context, parameters, request);
}

} // namespace goodsyard::runtime
