"""Names that SimGrid 3.32 has for the algorithms of each collective operation.

Its selectors are among them: what its own error message lists.
"""

from __future__ import annotations

from typing import Final

SELECTORS: Final = ("default", "ompi", "mpich", "mvapich2", "impi")
"""Libraries whose choice of algorithms, by size and number of ranks, is imitated."""

_ALGORITHMS: Final = """
barrier: default ompi ompi_basic_linear ompi_two_procs ompi_tree ompi_bruck ompi_recursivedoubling
    ompi_doublering mpich_smp mpich mvapich2_pair mvapich2 impi automatic
bcast: default arrival_pattern_aware arrival_pattern_aware_wait arrival_scatter binomial_tree flattree
    flattree_pipeline NTSB NTSL NTSL_Isend scatter_LR_allgather scatter_rdb_allgather SMP_binary
    SMP_binomial SMP_linear ompi ompi_split_bintree ompi_pipeline mpich mvapich2 mvapich2_inter_node
    mvapich2_intra_node mvapich2_knomial_intra_node impi automatic
reduce: default arrival_pattern_aware binomial flat_tree NTSL scatter_gather ompi ompi_chain ompi_pipeline
    ompi_basic_linear ompi_in_order_binary ompi_binary ompi_binomial mpich mvapich2 mvapich2_knomial
    mvapich2_two_level impi rab automatic
allreduce: default lr rab1 rab2 rab_rdb rdb smp_binomial smp_binomial_pipeline smp_rdb smp_rsag
    smp_rsag_lr smp_rsag_rab redbcast ompi ompi_ring_segmented mpich mvapich2 mvapich2_rs
    mvapich2_two_level impi rab automatic
gather: default ompi ompi_basic_linear ompi_binomial ompi_linear_sync mpich mvapich2 mvapich2_two_level
    impi automatic
allgather: default 2dmesh 3dmesh bruck GB loosely_lr NTSLR NTSLR_NB pair rdb rhv ring SMP_NTS smp_simple
    spreading_simple ompi ompi_neighborexchange mvapich2 mvapich2_smp mpich impi automatic
alltoall: default 2dmesh 3dmesh basic_linear bruck pair pair_rma pair_light_barrier pair_mpi_barrier
    pair_one_barrier rdb ring ring_light_barrier ring_mpi_barrier ring_one_barrier mvapich2
    mvapich2_scatter_dest ompi mpich impi automatic
scatter: default ompi ompi_basic_linear ompi_linear_nb ompi_binomial mpich mvapich2
    mvapich2_two_level_binomial mvapich2_two_level_direct impi automatic
reduce_scatter: default ompi ompi_basic_recursivehalving ompi_ring ompi_butterfly mpich mpich_pair
    mpich_rdb mpich_noncomm mvapich2 impi automatic
allgatherv: default GB pair ring ompi ompi_neighborexchange ompi_bruck mpich mpich_rdb mpich_ring mvapich2
    impi automatic
alltoallv: default bruck pair pair_light_barrier pair_mpi_barrier pair_one_barrier ring ring_light_barrier
    ring_mpi_barrier ring_one_barrier ompi mpich ompi_basic_linear mvapich2 impi automatic
"""

ALGORITHMS: Final = {
    op: tuple(names.split())
    for op, names in (entry.split(":") for entry in _ALGORITHMS.strip().replace("\n    ", " ").splitlines())
}
"""Operation to the names of its algorithms."""
