// MAFIA as the harness measures it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/family.hpp"
#include "mafia/planted.hpp"
#include "mafia/variants.hpp"
#include "mafia/windows.hpp"

namespace goodsyard::mafia {

/// What the command line asks for.
struct Asked {
    Plan plan;
    GridOptions grid;
    Variants variants;
    std::string file;    ///< Points to be clustered, or the file to write; empty: points are drawn.
    std::string output;  ///< File for the boxes of clusters; empty: none.
    std::string members; ///< File for the points of clusters; empty: none.
    int threads = 1;
    double least_recall = 0;    ///< Of every planted cluster, or the run has failed.
    double least_precision = 0; ///< The same.
};

std::unique_ptr<Operation> make_operation(const Context& context, const Asked& request);

} // namespace goodsyard::mafia
