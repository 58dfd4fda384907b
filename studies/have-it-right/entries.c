// Counts how often functions are entered that are compiled with -finstrument-functions.
static volatile unsigned long entries;

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function, (void)caller;
    ++entries;
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
}
