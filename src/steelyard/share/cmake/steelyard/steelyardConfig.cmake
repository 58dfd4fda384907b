# find_package(steelyard CONFIG REQUIRED)
# target_link_libraries(program PRIVATE steelyard::steelyard)
#
# Found with -Dsteelyard_DIR="$(steelyard config --cmake)".
if(NOT TARGET steelyard::steelyard)
    get_filename_component(_steelyard_include "${CMAKE_CURRENT_LIST_DIR}/../../../include" ABSOLUTE)
    add_library(steelyard::steelyard INTERFACE IMPORTED)
    set_target_properties(steelyard::steelyard PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_steelyard_include}")
    unset(_steelyard_include)
endif()
