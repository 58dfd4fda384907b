"""Steelyard's extensions: each a folder that holds a feature whole. The core names none of them.

The order is that of ``steelyard --help``.
"""

from __future__ import annotations

from typing import Final

from steelyard.core.extension import (
    ClaimKind,
    Command,
    CompareMode,
    DataJudge,
    Extension,
    Predictor,
    Protocol,
)

EXTENSIONS: Final = (
    Extension(
        name="plan",
        purpose="what a spec would run, and the differences that it could show",
        commands={
            "plan": Command(
                "Show what a spec would run, how long, and what it cannot separate.",
                "steelyard.extensions.plan.command:command",
                linux_only=True,
                topic="runs and records",
            ),
        },
    ),
    Extension(
        name="page",
        purpose="a page of records and other answers, with figures, tables and an archive",
        needs=("exchange",),
        commands={
            "report": Command(
                "Write a page, figures and tables of one record or several.",
                "steelyard.extensions.page.command:command",
                topic="",
            ),
        },
        writers={
            "pages": "steelyard.extensions.page.report:save_page",
            "figures": "steelyard.extensions.page.report:save_figures",
        },
    ),
    Extension(
        name="gate",
        purpose="benchmarks that a project has, base against head",
        needs=("exchange", "explain", "repository"),
        state={"gate": "steelyard.extensions.gate.request:GateRequest"},
        commands={
            "gate": Command(
                "Gate a change with the benchmarks that a project has, base against head.",
                "steelyard.extensions.gate.command:command",
                topic="",
            ),
        },
    ),
    Extension(
        name="growth",
        purpose="how metrics grow with a parameter, and whether as expected",
        commands={
            "model": Command(
                "Model how metrics grow with a parameter, and check them against expectations.",
                "steelyard.extensions.growth.command:command",
                topic="growth",
            ),
        },
        claims={
            "scales": ClaimKind(
                "steelyard.extensions.growth.scales_claim:Scales",
                "steelyard.extensions.growth.scales_judging:judge_scales",
                "steelyard.extensions.growth.scales_words",
            ),
            "rule": ClaimKind(
                "steelyard.extensions.growth.rule_claim:Rule",
                "steelyard.extensions.growth.rule_judging:judge_rule",
                "steelyard.extensions.growth.rule_words",
                section="steelyard.extensions.growth.rule_page:section",
            ),
        },
        predictor=Predictor(
            "steelyard.extensions.growth.prediction:predict",
            "steelyard.extensions.growth.prediction:find_crossing",
            "steelyard.extensions.growth.prediction_words:format_prediction",
        ),
        data=DataJudge(
            "steelyard.extensions.growth.data:GrowthOptions", "steelyard.extensions.growth.data:judge"
        ),
        parts={"growth": "steelyard.extensions.growth.curves:read_curves"},
        sections={"growth": "steelyard.extensions.growth.page:section"},
        files={"growth": "steelyard.extensions.growth.formulas:write_files"},
        pages={"steelyard.extensions.growth.results:PageModels": "steelyard.extensions.growth.page:lay_out"},
    ),
    Extension(
        name="efficiency",
        needs=("growth", "page"),
        purpose="speedup and parallel efficiency, with intervals",
        pages={
            "steelyard.extensions.efficiency.results:Efficiencies": (
                "steelyard.extensions.efficiency.page:lay_out"
            ),
        },
        commands={
            "efficiency": Command(
                "Speedup and parallel efficiency, with intervals, and up to which scale it holds.",
                "steelyard.extensions.efficiency.command:command",
                topic="growth",
            ),
        },
        claims={
            "efficiency": ClaimKind(
                "steelyard.extensions.efficiency.claims:EfficiencyClaim",
                "steelyard.extensions.efficiency.judging:judge_efficiency",
                "steelyard.extensions.efficiency.claim_words",
            ),
        },
    ),
    Extension(
        name="lake",
        purpose="trials of many records as Parquet files, in a directory or an object store",
        needs=("exchange",),
        places={"lake": "steelyard.extensions.lake.place:LAKE"},
    ),
    Extension(
        name="history",
        purpose="what changed over records of many commits, and at which",
        needs=("bisect", "exchange", "repository"),
        commands={
            "history": Command(
                "Find what changed over records of many commits, and at which.",
                "steelyard.extensions.history.command:command",
                topic="commits",
            ),
        },
        pages={
            "steelyard.extensions.history.results:History": "steelyard.extensions.history.page:lay_out",
        },
        after_run={"summary": "steelyard.lab.summary.condensing:write_summary"},
    ),
    Extension(
        name="bisect",
        purpose="the commit that changed the time of a program",
        needs=("repository",),
        state={"bisect": "steelyard.extensions.bisect.request:BisectRequest"},
        commands={
            "bisect": Command(
                "Find the commit that changed a program's time, by measuring commits side by side.",
                "steelyard.extensions.bisect.command:command",
                linux_only=True,
                topic="commits",
            ),
        },
    ),
    Extension(
        name="ratchet",
        purpose="many changes in a row, with one error over all of them",
        needs=("repository",),
        commands={
            "ratchet": Command(
                "Try many changes in a row and keep what is faster, with one error over all of them.",
                "steelyard.extensions.ratchet.command:command",
                topic="commits",
            ),
        },
    ),
    Extension(
        name="audit",
        purpose="the contexts that move the time of a program",
        state={"audit": ""},
        commands={
            "audit": Command(
                "Find which contexts move a program's time on this machine.",
                "steelyard.extensions.audit.command:command",
                linux_only=True,
                topic="what moves a time",
            ),
        },
    ),
    Extension(
        name="observe",
        purpose="the cost of a probe to the program that it observes",
        sections={"observation": "steelyard.extensions.observe.page:section"},
        claims={
            key: ClaimKind(
                f"steelyard.extensions.observe.claims:{struct}",
                f"steelyard.extensions.observe.judging:judge_{key}",
                "steelyard.extensions.observe.claim_words",
                compares=True,
            )
            for key, struct in (("unperturbed", "Unperturbed"), ("validates", "Validates"))
        },
        state={"observe": ""},
        commands={
            "observe": Command(
                "Find what a probe costs the program it observes.",
                "steelyard.extensions.observe.command:command",
                linux_only=True,
                topic="what moves a time",
            ),
        },
    ),
    Extension(
        name="explain",
        purpose="the functions that carry a difference between two programs",
        parts={"explanation": "steelyard.extensions.explain.explain:read_explanation"},
        sections={"explanation": "steelyard.extensions.explain.page:section"},
        state={"explain": ""},
        commands={
            "explain": Command(
                "Find the functions that carry a difference between two programs.",
                "steelyard.extensions.explain.command:command",
                topic="what moves a time",
            ),
        },
    ),
    Extension(
        name="exchange",
        purpose="files of other tools, and values of other harnesses",
        series={"files": "steelyard.extensions.exchange.series:SERIES"},
        harnesses=dict.fromkeys(
            (
                "any reader",
                *("google-benchmark", "pytest-benchmark", "pyperf", "benchmarkdotnet", "reframe", "jmh"),
                *("nanobench", "hyperfine", "vitest", "asv", "go-bench", "criterion", "cargo-criterion"),
                *("divan", "tango", "tinybench", "imb", "osu", "reprompi", "skampi", "perf-stat", "zenbench"),
                *("gungraun", "pytest-codspeed", "mitata", "libtest", "catch2", "github-action-benchmark"),
                "bencher",
            ),
            "steelyard.extensions.exchange.reports:read_reports",
        ),
        commands={
            "import": Command(
                "Make a record of what another tool measured.",
                "steelyard.extensions.exchange.import_command:command",
                topic="other tools",
            ),
            "export": Command(
                "Write a record for other tools: tables, Extra-P, hyperfine, benchstat, …",
                "steelyard.extensions.exchange.export_command:command",
                topic="other tools",
            ),
        },
    ),
    Extension(
        name="solvers",
        purpose="solvers over problem instances, where runs may time out or fail",
        needs=("exchange", "page"),
        parts={"solvers": "steelyard.extensions.solvers.records:read_part"},
        sections={"solvers": "steelyard.extensions.solvers.page:section"},
        commands={
            "solvers": Command(
                "Compare solvers over problem instances under a time limit.",
                "steelyard.extensions.solvers.command:command",
                topic="other tools",
            ),
        },
    ),
    Extension(
        name="outputs",
        purpose="results as benchmarks print or write them, a declaration a format",
        needs=("exchange",),
        readers={
            name: f"steelyard.extensions.outputs.formats.{place}"
            for name, place in {
                "hpl": "cluster:HPL",
                "stream": "cluster:STREAM",
                "nccl-tests": "cluster:NCCL",
                "fio": "storage:FIO",
                "iperf3": "network:IPERF3",
                "wrk": "network:WRK",
                "k6": "network:K6",
                "pgbench": "database:PGBENCH",
                "sysbench": "database:SYSBENCH",
                "clickbench": "database:CLICKBENCH",
                "benchexec": "suites:BENCHEXEC",
                "benchexec-table": "suites:BENCHEXEC_TABLE",
                "rebench": "suites:REBENCH",
                "ramble": "suites:RAMBLE",
                "exacb": "suites:EXACB",
                "junit": "suites:JUNIT",
                "perfgate": "suites:PERFGATE",
                "llama-bench": "learning:LLAMA_BENCH",
                "mlperf": "learning:MLPERF",
                "mlperf-inference": "learning:MLPERF_INFERENCE",
                "hdr-histogram": "histograms:HDR",
            }.items()
        },
    ),
    Extension(
        name="agents",
        purpose="the laboratory as tools of agents",
        commands={
            "mcp": Command(
                "Serve four tools to agents: compare, gate, ratchet, explain.",
                "steelyard.extensions.agents.command:command",
                topic="other tools",
            ),
        },
    ),
    Extension(
        name="repair",
        purpose="what can be read of a damaged record",
        commands={
            "recover": Command(
                "Copy what can be read of a damaged record into a new one.",
                "steelyard.extensions.repair.command:command",
                topic="runs and records",
            ),
        },
    ),
    Extension(
        name="verify",
        purpose="whether a record is as it was measured",
        needs=("lake",),
        commands={
            "verify": Command(
                "Verify that records are as they were measured.",
                "steelyard.extensions.verify.command:command",
                topic="runs and records",
            ),
        },
    ),
    Extension(
        name="clean",
        purpose="old records, trees and builds of this user",
        commands={
            "clean": Command(
                "List old records, trees and builds of this user, and remove them.",
                "steelyard.extensions.clean.command:command",
                linux_only=True,
                topic="runs and records",
            ),
        },
    ),
    Extension(
        name="doctor",
        purpose="what can be observed and controlled on this machine",
        commands={
            "doctor": Command(
                "Show what can be observed and controlled here, and how to improve it.",
                "steelyard.extensions.doctor.command:command",
                linux_only=True,
                topic="what moves a time",
            ),
        },
    ),
    Extension(
        name="demo",
        purpose="how run times lie, on this machine",
        needs=("page",),
        state={"demo": ""},
        commands={
            "demo": Command(
                "Show in about a minute how run times lie.",
                "steelyard.extensions.demo.command:command",
                linux_only=True,
                topic="what moves a time",
            ),
        },
    ),
    Extension(
        name="null",
        purpose="how often a program is called different from itself",
        modes={
            "null": CompareMode(
                "steelyard.extensions.null.option:NullOptions",
                "steelyard.extensions.null.option:refuse_without_meaning",
                "steelyard.extensions.null.option:calibrate",
                alone="itself",
                example="steelyard compare --null './prog input'",
            ),
        },
    ),
    Extension(name="repository", purpose="commits of a git repository, whose trees are built and measured"),
    Extension(
        name="protocol_2014",
        purpose="pairs of programs by the published protocol of Nogueira and Matias (2014)",
        protocols={
            "nogueira-matias-2014": Protocol(
                "steelyard.extensions.protocol_2014.results:ProtocolAnswer",
                "steelyard.extensions.protocol_2014.family:judge",
                "steelyard.extensions.protocol_2014.text",
                "steelyard.extensions.protocol_2014.page:section",
            ),
        },
    ),
    Extension(
        name="pytest",
        purpose="tests whose functions are timed, in turns, and held to claims",
        needs=("exchange", "growth", "repository"),
    ),
    Extension(
        name="clusters",
        purpose="trials in jobs of a queue, and on hosts by ssh",
        launchers=dict.fromkeys(("slurm", "template", "hosts"), "steelyard.extensions.clusters.jobs:Jobs"),
    ),
)
