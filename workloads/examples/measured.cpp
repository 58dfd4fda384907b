// A measured operation: counts words with a counting set, repeated until its time is known, checked after
// each repetition. measured.toml is the experiment.
#include <goodsyard/containers.hpp>
#include <goodsyard/mpi.hpp>

using namespace goodsyard;

namespace {

class Words final : public Operation {
  public:
    Words(const MpiContext& context, const runtime::Parameters& parameters, int words)
        : world_(context.world), transport_(make_transport(world_, parameters)),
          runtime_(*transport_, parameters, context.computation), messages_(runtime_),
          seed_(context.settings.seed), words_(static_cast<std::uint64_t>(words)) {}

    void run() override {
        containers::CountingSet<std::string> counts(world_, messages_);
        const Random random(seed_);
        for (std::uint64_t i = 0; i < words_; ++i) {
            const std::uint64_t drawn =
                random.below(5000, static_cast<std::uint64_t>(world_.rank()) * words_ + i);
            counts.async_insert("word " + std::to_string(drawn * drawn / 5000));
        }
        counted_ = counts.count_all();
        different_ = counts.size();
    }
    std::optional<std::string> wrong() override {
        const bool all = counted_ == words_ * static_cast<std::uint64_t>(world_.size()) && different_ <= 5000;
        return all ? std::nullopt : std::optional<std::string>("words were lost or made up");
    }
    std::vector<Fact> facts() override { return {{"words", "1", static_cast<double>(different_)}}; }

  private:
    const World& world_;
    std::unique_ptr<runtime::Transport> transport_;
    runtime::Runtime runtime_;
    global::Messages messages_;
    std::uint64_t seed_, words_, counted_ = 0, different_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    runtime::Parameters parameters;
    int words = 20'000;
    Family<MpiContext> family{
        .name = "measured", .description = "Counts words.", .is_seeded = true, .computes = true};
    family.declare = [&](Options& options) {
        runtime::declare(options, parameters);
        options.add("--words", words, "Words of a rank", {1, 1 << 24});
    };
    family.operations = {
        {"words", [&](const MpiContext& c) { return std::make_unique<Words>(c, parameters, words); }}};
    return run(session, argc, argv, std::move(family));
}
