// A graph algorithm of one's own on the Abstract Graph Machine: the widest path from a vertex to every other,
// which is as wide as its narrowest edge.
#include <cstdio>
#include <goodsyard/agm.hpp>
#include <goodsyard/mpi.hpp>

using namespace goodsyard;

namespace {

class WidestPath : public agm::PrefetchedRows {
  public:
    struct Item {
        graph::Vertex vertex;
        float width;
        std::uint32_t level;
    };
    explicit WidestPath(const graph::Csr& graph) : PrefetchedRows(graph), widths_(graph.count(), 0) {}

    bool receive(const Item& item) { // Keeps it where it is wider than what is known.
        float& width = widths_[graph_.owners.local(item.vertex)];
        const bool is_wider = item.width > width;
        width = std::max(width, item.width);
        return is_wider;
    }
    bool is_current(const Item& item) const {
        return item.width == widths_[graph_.owners.local(item.vertex)];
    }
    template <class Emit>
    void process(const Item& item, Emit emit) {
        const std::size_t local = graph_.owners.local(item.vertex);
        for (std::size_t i = 0; i < graph_.degree(local); ++i) {
            const float width = std::min(item.width, graph_.weights_of(local)[i]);
            emit(Item{graph_.neighbours(local)[i], width, item.level + 1});
        }
    }
    // The widest first: weights are at most 1.
    static agm::Key key(const agm::Order& order, const Item& item) {
        return order.key(1 - item.width, item.level);
    }
    const std::vector<float>& widths() const { return widths_; }

  private:
    std::vector<float> widths_;
};

} // namespace

int main(int argc, char** argv) {
    const Session session(argc, argv);
    runtime::Parameters parameters;
    std::string path;
    Program<World> program{.name = "widest_path", .description = "Widest paths from vertex 0 of a graph."};
    program.declare = [&](Options& options) {
        declare(options, parameters);
        options.add("--edges", path, "File: a line 'source target width' an edge, widths at most 1");
    };
    program.body = [&](const World& world) {
        const auto transport = make_transport(world, parameters);
        runtime::Runtime runtime(*transport, parameters);
        const graph::Csr rows = build(world, graph::FileEdges(world, path));
        WidestPath algorithm(rows);
        agm::Machine machine(runtime, rows, algorithm, {.global = agm::Order(agm::OrderKind::delta, 0.1)});
        std::vector<WidestPath::Item> first;
        if (WidestPath::Item root{rows.owners.vertex(0), 1, 0}; rows.owns(root.vertex)) {
            algorithm.receive(root);
            first.push_back(root);
        }
        machine.run(first);
        double sum = 0;
        for (const float width : algorithm.widths()) {
            sum += width;
        }
        sum = world.all(Fold::sum, sum);
        if (world.is_root()) {
            std::printf("widths add up to %.3f\n", sum);
        }
    };
    return run(session, argc, argv, program);
}
