#include "sorting/sort.hpp"

#include "sorting/exact.hpp"
#include "sorting/histogram.hpp"
#include "sorting/mini.hpp"
#include "sorting/radix.hpp"
#include "sorting/sample.hpp"

namespace goodsyard::sorting {

template <class Item>
std::unique_ptr<Sort<Item>> make_sort(MPI_Comm comm, Phases& phases, const Computation& computation,
                                      const Parameters& parameters) {
    switch (parameters.algorithm) {
    case Algorithm::histogram:
        return std::make_unique<HistogramSort<Item>>(comm, phases, computation, parameters);
    case Algorithm::exact:
        if (parameters.schedule == Schedule::sequential) {
            return std::make_unique<SequentialExactSort<Item>>(comm, phases, computation, parameters);
        }
        return std::make_unique<BatchedExactSort<Item>>(comm, phases, computation, parameters);
    case Algorithm::radix:
        return std::make_unique<RadixSort<Item>>(comm, phases, computation, parameters);
    case Algorithm::mini:
        return std::make_unique<MiniSort<Item>>(comm, phases, computation, parameters);
    case Algorithm::sample:
        break;
    }
    return std::make_unique<SampleSort<Item>>(comm, phases, computation, parameters);
}

template std::unique_ptr<Sort<Key>> make_sort(MPI_Comm, Phases&, const Computation&, const Parameters&);
template std::unique_ptr<Sort<Record>> make_sort(MPI_Comm, Phases&, const Computation&, const Parameters&);

} // namespace goodsyard::sorting
