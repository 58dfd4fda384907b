// How long it takes to sort 1,000 numbers, in C++: c++ $(steelyard config) -O2 -o sorting-cpp sorting.cpp
#include <steelyard.h>

#include <algorithm>
#include <vector>

int main() {
    std::vector<int> numbers(1000);
    steelyard::measure("sort_s", [&] {
        int i = 0;
        std::generate(numbers.begin(), numbers.end(), [&] { return i++ * 7919 % 1000; });
        std::sort(numbers.begin(), numbers.end());
        steelyard::do_not_optimize(numbers.front());
    });
    return std::is_sorted(numbers.begin(), numbers.end()) ? 0 : 1;
}
