// Component agm: graphs over ranks, the Abstract Graph Machine, and algorithms on it.
#pragma once

#include "agm/bfs.hpp"
#include "agm/colouring.hpp"
#include "agm/components.hpp"
#include "agm/independent_set.hpp"
#include "agm/machine.hpp"
#include "agm/prefetched_rows.hpp"
#include "agm/sssp.hpp"
#include "agm/triangles.hpp"
#include "goodsyard/global.hpp"
#include "graph/csr.hpp"
#include "graph/drawn_edges.hpp"
#include "graph/edge_file.hpp"
#include "graph/graph500.hpp"

#if defined(GOODSYARD_WIDE_VERTICES) && !GOODSYARD_BUILT_WITH_WIDE_VERTICES
#error "this goodsyard has vertices of 32 bits: leave GOODSYARD_WIDE_VERTICES out, or build another with it"
#elif !defined(GOODSYARD_WIDE_VERTICES) && GOODSYARD_BUILT_WITH_WIDE_VERTICES
#error "this goodsyard has vertices of 64 bits: define GOODSYARD_WIDE_VERTICES, as goodsyard::agm does"
#endif
