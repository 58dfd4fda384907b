// Calls a program's own main, with the stack SHIFT bytes further down: two builds that differ in this alone
// differ in where their local variables lie, and in nothing that anybody would call a change.
int real_main(int argc, char** argv);

int main(int argc, char** argv) {
    volatile char shift[SHIFT];
    shift[0] = 0;
    return real_main(argc, argv) + shift[0];
}
