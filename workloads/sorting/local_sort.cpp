#include "sorting/local_sort.hpp"

#include <algorithm>
#include <stdexcept>

#ifdef WORKLOADS_PDQ
#include <boost/sort/pdqsort/pdqsort.hpp>
constexpr bool with_pdq = true;
#else
constexpr bool with_pdq = false;
#endif
#ifdef WORKLOADS_IPS4O
#include <ips4o.hpp>
constexpr bool with_ips4o = true;
#else
constexpr bool with_ips4o = false;
#endif
#ifdef WORKLOADS_VQSORT
#include <hwy/contrib/sort/vqsort.h>
constexpr bool with_vqsort = true;
#else
constexpr bool with_vqsort = false;
#endif

namespace goodsyard::sorting {

namespace {

[[noreturn, maybe_unused]] void refuse(LocalSort local) {
    throw std::invalid_argument("built without that local sort; apt-get install " + package_of(local) +
                                ", then build again");
}

template <class Item>
void sort_by_pdq([[maybe_unused]] std::vector<Item>& items) {
#ifdef WORKLOADS_PDQ
    boost::sort::pdqsort_branchless(items.begin(), items.end(), LessKey());
#else
    refuse(LocalSort::pdq);
#endif
}

template <class Item>
void sort_by_ips4o([[maybe_unused]] std::vector<Item>& items) {
#ifdef WORKLOADS_IPS4O
    ips4o::sort(items.begin(), items.end(), LessKey());
#else
    refuse(LocalSort::ips4o);
#endif
}

} // namespace

bool is_built_in(LocalSort local) {
    switch (local) {
    case LocalSort::pdq:
        return with_pdq;
    case LocalSort::ips4o:
        return with_ips4o;
    case LocalSort::vqsort:
        return with_vqsort;
    case LocalSort::std:
        break;
    }
    return true;
}

std::string package_of(LocalSort local) {
    switch (local) {
    case LocalSort::pdq:
        return "libboost-dev";
    case LocalSort::ips4o:
        return "libips4o-dev";
    case LocalSort::vqsort:
        return "libhwy-dev";
    case LocalSort::std:
        break;
    }
    return "";
}

void sort_locally(std::vector<Key>& items, LocalSort local) {
    switch (local) {
    case LocalSort::pdq:
        return sort_by_pdq(items);
    case LocalSort::ips4o:
        return sort_by_ips4o(items);
    case LocalSort::vqsort:
#ifdef WORKLOADS_VQSORT
        return hwy::Sorter()(items.data(), items.size(), hwy::SortAscending());
#else
        refuse(local);
#endif
    case LocalSort::std:
        break;
    }
    std::sort(items.begin(), items.end()); // Equal keys cannot be told apart.
}

void sort_locally(std::vector<Record>& items, LocalSort local) {
    switch (local) {
    case LocalSort::pdq:
        return sort_by_pdq(items);
    case LocalSort::ips4o:
        return sort_by_ips4o(items);
    case LocalSort::vqsort:
        throw std::invalid_argument("vqsort sorts keys without a payload: std, pdq or ips4o");
    case LocalSort::std:
        break;
    }
    std::stable_sort(items.begin(), items.end(), LessKey());
}

} // namespace goodsyard::sorting
