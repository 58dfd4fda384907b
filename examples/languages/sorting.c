// How long it takes to sort 1,000 numbers, in C: cc $(steelyard config) -O2 -o sorting-c sorting.c
#include <steelyard.h>

enum { COUNT = 1000 };

static int ascending(const void* left, const void* right) {
    const int a = *(const int*)left;
    const int b = *(const int*)right;
    return (a > b) - (a < b);
}

int main(void) {
    int numbers[COUNT];
    const struct steelyard_label labels[] = {{"language", "C", 0}, {"n", NULL, COUNT}};
    struct steelyard_loop loop = steelyard_loop_of("sort_s");
    loop.labels = labels;
    loop.label_count = 2;
    while (steelyard_next(&loop)) {
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = (i * 7919) % COUNT;
        }
        qsort(numbers, COUNT, sizeof numbers[0], ascending);
        STEELYARD_KEEP(numbers[0]);
    }
    return numbers[COUNT - 1] == COUNT - 1 ? 0 : 1;
}
