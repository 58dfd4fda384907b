// What the compiler compiles in compiler.toml: counts words and numbers of its input, by the standard
// library.
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main(int argc, char** argv) {
    std::map<std::string, int> words;
    const std::regex word("[a-z]+|[0-9]+(\\.[0-9]*)?");
    for (std::string line; std::getline(std::cin, line);) {
        for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
            ++words[at->str()];
        }
    }
    for (const auto& [text, count] : words) {
        std::cout << text << ' ' << count << '\n';
    }
}
