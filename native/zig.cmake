# Toolchain of wheels: zig (PyPI's ziglang) compiles for STEELYARD_ZIG_TARGET on any machine, with the oldest C library
# that the target names. STEELYARD_ZIG is its program.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES STEELYARD_ZIG STEELYARD_ZIG_TARGET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${STEELYARD_ZIG_TARGET})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${STEELYARD_ZIG} c++ -target ${STEELYARD_ZIG_TARGET})
# zig compiles C's and C++'s libraries once for each target, level of optimisation, and whether symbols are stripped: every
# link is to take the same, the one that identifies the compiler too, so that there are two sets a machine.
set(CMAKE_CXX_FLAGS_INIT "-O2 -s")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# The archiver of this machine may not know objects of the other.
set(CMAKE_CXX_ARCHIVE_CREATE "\"${STEELYARD_ZIG}\" ar qcs <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "")
# Nothing of this machine may be found for the other, but Python, which builds.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
