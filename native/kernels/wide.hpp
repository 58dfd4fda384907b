// Loops that hold nearly all arithmetic are compiled for wide registers too; the version is chosen when the
// module is loaded, so that one wheel serves every x86-64.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define STEELYARD_WIDE [[gnu::target_clones("arch=x86-64-v3", "default")]]
#define STEELYARD_WIDEST [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define STEELYARD_WIDE
#define STEELYARD_WIDEST
#endif
