#include "global/reads.hpp"

#include <algorithm>
#include <string>

#include "global/delegates.hpp"
#include "global/global_array.hpp"
#include "harness/random.hpp"
#include "runtime/left_out.hpp"
#include "runtime/make_transport.hpp"

namespace goodsyard::global {

using runtime::Execution;
using runtime::Parameters;

namespace {

class ReadsOperation final : public Operation {
  public:
    ReadsOperation(const MpiContext& context, const Parameters& parameters, const Reads& request)
        : team_(context.team), transport_(runtime::make_transport(context.world, parameters)),
          runtime_(*transport_, parameters, context.computation), delegates_(runtime_),
          table_(context.team, static_cast<std::uint64_t>(context.team.size())
                                   << static_cast<unsigned>(request.table_bits)),
          asked_(request), random_(context.settings.seed, static_cast<std::uint64_t>(context.team.rank())) {
        for (std::uint64_t place = 0; place < table_.own().size(); ++place) {
            table_.own()[place] = mix64(table_.index(place));
        }
    }

    void prepare() override {
        wrong_ = 0;
        read_ = 0;
        runtime_.counters() = {};
    }
    void run() override {
        for (std::uint64_t task = 0; task < asked_.in_flight; ++task) {
            runtime_.tasks().spawn([this, task] {
                for (std::uint64_t i = 0; i < asked_.of_task; ++i) {
                    const std::uint64_t index = drawn(task * asked_.of_task + i);
                    wrong_ += delegates_.read(table_[index]) == mix64(index) ? 0 : 1;
                    ++read_;
                }
            });
        }
        runtime_.epoch();
    }
    std::optional<std::string> wrong() override {
        if (wrong_ > 0 || read_ != asked_.in_flight * asked_.of_task) {
            return std::to_string(wrong_) + " of " + std::to_string(read_) + " reads returned another value";
        }
        return std::nullopt;
    }
    [[nodiscard]] bool checks_each() const override { return true; }
    [[nodiscard]] std::vector<Fact> facts() override { return runtime::facts(team_, runtime_.counters()); }

  private:
    /// An element of another rank; of this one, where it is alone.
    [[nodiscard]] std::uint64_t drawn(std::uint64_t i) const {
        const std::uint64_t local = table_.own().size();
        const std::uint64_t rest = std::max(local, table_.size() - local);
        const std::uint64_t behind = table_.index(0) + local + random_.below(rest, i);
        return behind < table_.size() ? behind : behind - table_.size();
    }

    const Team& team_;
    std::unique_ptr<runtime::Transport> transport_;
    Runtime runtime_;
    Delegates delegates_;
    GlobalArray<std::uint64_t> table_;
    Reads asked_;
    Random random_;
    std::uint64_t wrong_ = 0;
    std::uint64_t read_ = 0;
};

} // namespace

std::unique_ptr<Operation> make_reads(const MpiContext& context, const Parameters& parameters,
                                      const Reads& request) {
    if (parameters.execution != Execution::fibre) {
        return runtime::left_out(context.settings, "reads", "--execution fibre");
    }
    const auto entries = static_cast<double>(std::uint64_t{1} << static_cast<unsigned>(request.table_bits));
    const auto active = static_cast<double>(std::min(request.in_flight, parameters.active_tasks));
    require_memory(context.world,
                   sizeof(std::uint64_t) * entries + runtime::bytes_of_task(parameters) * active,
                   "the table and the tasks do", "fewer --in-flight, --active-tasks or --table-bits");
    return std::make_unique<ReadsOperation>(context, parameters, request);
}

} // namespace goodsyard::global
