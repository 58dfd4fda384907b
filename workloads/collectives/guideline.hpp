// Operations of the performance guidelines of MPI beside the usual ones, and mock-ups: the same outcome by
// other operations, which a library must not beat with its own. docs/decisions/claims/224-mock-ups.md.
//
// Träff, Gropp, Thakur: Self-consistent MPI performance guidelines, 2010, DOI 10.1109/TPDS.2009.120.
// Hunold, Carpen-Amarie, Lübbe, Träff: Automatic verification of self-consistent MPI performance guidelines,
// Euro-Par 2016, DOI 10.1007/978-3-319-43659-3_32.
#pragma once

#include <vector>

#include "collectives/operation.hpp"

namespace goodsyard {

/// Scatter, Scan, Exscan, Reduce_scatter_block, and every mock-up, named `OPERATION_by_PART_and_PART`;
/// `options` must outlive what is returned.
std::vector<Family<MpiContext>::Entry> guideline_operations(const CollectiveOptions& options);

} // namespace goodsyard
