"""A test of ReFrame on four nodes, with three variables.

NIGHT=1 reframe -c nightly.py -r --report-file=1.json
"""

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class Solver(rfm.RunOnlyRegressionTest):
    node = parameter(["nid01", "nid02", "nid03", "nid04"])
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "./bench.sh"

    @run_after("init")
    def name_node(self):
        self.executable_opts = [self.node]

    @sanity_function
    def has_passed(self):
        return sn.assert_found("PASSED", self.stdout)

    @performance_function("MB/s")
    def triad(self):
        return sn.extractsingle(r"Triad: (\S+)", self.stdout, 1, float)

    @performance_function("GFLOP/s")
    def rate(self):
        return sn.extractsingle(r"Rate: (\S+)", self.stdout, 1, float)

    @performance_function("s")
    def start(self):
        return sn.extractsingle(r"Start: (\S+)", self.stdout, 1, float)
