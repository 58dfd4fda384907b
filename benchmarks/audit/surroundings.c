/* Computes for a fifth longer in one of its surroundings, which KIND chooses: 0 a locale in UTF-8, 1 no limit
   of the stack. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

int main(void) {
    setlocale(LC_ALL, "");
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    const int is_slow[] = {strcmp(nl_langinfo(CODESET), "UTF-8") == 0, stack.rlim_cur == RLIM_INFINITY};
    long rounds = is_slow[KIND] ? 12000000 : 10000000;
    unsigned x = 1;
    while (rounds-- > 0) {
        x = x * 1664525u + 1013904223u;
    }
    printf("%u\n", x & 1u);
    return 0;
}
