"""Formats by files that the tools wrote: labels, values, units, directions, failures."""

from __future__ import annotations

import json
import re

import pytest

LOOP = "http://127.0.0.1:8199/index.html threads=1 connections=2"


def test_hpl_has_a_label_for_each_block_size_and_says_how_many_lines_matched(outputs):
    contents = outputs.file("hpl.txt")
    assert contents.tool == "hpl 2.0"
    assert outputs.values(contents, "rate") == {
        "WR11C2R4 N=480 NB=32 P=1 Q=1": ((1.458,),),
        "WR11C2R4 N=480 NB=64 P=1 Q=1": ((1.076,),),
        "WR11C2R4 N=480 NB=96 P=1 Q=1": ((1.257,),),
    }
    assert {(entry.metric, entry.unit, entry.better) for entry in contents.series} == {
        ("rate", "GFLOP/s", "higher"),
        ("time_s", "s", "lower"),
    }
    assert contents.notes == ("3 results of hpl: NB 32, 64, 96.",)


def test_a_residual_check_that_failed_is_a_run_that_failed(outputs):
    contents = outputs.file("hpl-failed.txt")
    assert list(outputs.values(contents, "rate")) == ["WR11C2R4 N=480 NB=64 P=1 Q=1"]
    assert [(levels["NB"], reason) for levels, reason in outputs.failures(contents)] == [
        (32, "the residual check says FAILED"),
        (96, "the residual check says FAILED"),
    ]
    assert contents.failures[0].values == ({"rate": 1.933, "time_s": 0.04},)
    assert contents.notes == ("3 results of hpl: NB 32, 64, 96; 2 failed.",)


def test_hpl_that_was_cut_off_says_that_its_end_is_missing(outputs):
    text = outputs.text("hpl.txt")
    end = text.index("WR11C2R4         480    96")
    contents = outputs.read(text[:end])
    assert len(outputs.values(contents, "rate")) == 2
    assert (
        contents.notes[-1] == "The output does not have the end that hpl writes: later runs may be missing."
    )


def test_stream_has_the_best_bandwidth_of_each_kernel(outputs):
    contents = outputs.file("stream.txt")
    assert contents.tool == "stream 5.10"
    assert outputs.values(contents, "bandwidth")["Triad elements=1000000"] == ((pytest.approx(61380.1e6),),)
    assert {entry.metric: entry.better for entry in contents.series}["bandwidth"] == "higher"


def test_a_kernel_of_stream_whose_bandwidth_is_no_number_is_no_lost_row(outputs):
    text = re.sub(r"(?m)^Add: .*$", "Add:  inf  0.0  0.0  0.0", outputs.text("stream.txt"))
    contents = outputs.read(text)
    assert len(outputs.values(contents, "bandwidth")) == 3
    assert contents.notes[0] == "4 results of stream: kernel Copy, Scale, Add, Triad."


def test_a_validation_of_stream_that_failed_fails_all_of_its_kernels_alone(outputs):
    text = outputs.text("stream.txt")
    wrong = text.replace(
        "Solution Validates: avg error less than", "Failed Validation on array a[], AvgRelAbsErr >"
    )
    contents = outputs.read(text + wrong)
    assert len(outputs.values(contents, "bandwidth")) == 4
    assert len(outputs.failures(contents)) == 4


def test_fio_has_a_row_for_each_operation_that_a_job_did(outputs):
    contents = outputs.file("fio.json")
    assert contents.tool == "fio 3.33"
    assert [
        (entry.levels["operation"], entry.unit, entry.better)
        for entry in contents.series
        if entry.metric == "iops"
    ] == [
        ("read", "1/s", "higher"),
        ("write", "1/s", "higher"),
    ]
    assert outputs.values(contents, "iops")["mixed operation=read mode=randrw bs=4k"] == ((6958.041958,),)


def test_reports_of_a_run_of_fio_that_goes_on_are_left_out(outputs):
    document = json.loads(outputs.text("fio.json"))

    def report(runtime_ms, timestamp_ms):
        jobs = [{**job, "job_runtime": runtime_ms} for job in document["jobs"]]
        return json.dumps({**document, "timestamp_ms": timestamp_ms, "jobs": jobs})

    # --status-interval=1 wrote two of the first run, whose last report came late; the second run is another.
    texts = (report(1000, 10_000), report(2001, 11_020), report(2600, 12_000), report(2600, 15_900))
    contents = outputs.read("\n".join(texts), "fio")
    assert (
        contents.notes[0] == "Left out: 2 reports of runs that were still going on; the last of each counts."
    )
    assert {len(series.values) for series in contents.series} == {2}
    once = outputs.read(texts[-1], "fio")
    assert not any("still going on" in note for note in once.notes)


def test_fio_with_an_error_is_counted_though_it_did_nothing_and_printed_before(outputs):
    contents = outputs.file("fio-error.json")
    assert outputs.failures(contents) == [
        ({"job": "bad", "operation": "read", "mode": "read", "bs": "4k"}, "fio: error 2")
    ]
    assert [entry.levels["job"] for entry in contents.series if entry.metric == "iops"] == ["good"]


def test_fio_with_a_histogram_has_quantiles_with_intervals(outputs):
    note = outputs.file("fio-plus.json").notes[0]
    assert note.startswith(
        "randread operation=read mode=randread bs=4k: completion latency p50 38.7 µs (95 % CI "
    )
    assert "p99 840 µs (95 % CI 227 µs to 2.36 ms)" in note
    assert "of 11,645 operations in one run" in note


def test_iperf3_has_what_was_received_and_lost(outputs):
    contents = outputs.file("iperf3.json")
    assert contents.tool == "iperf3 3.12"
    (entry,) = (entry for entry in contents.series if entry.metric == "received")
    assert (entry.values, entry.unit, entry.better) == (((13188403903.92939,),), "bit/s", "higher")
    assert entry.levels["streams"] == 2
    udp = outputs.file("iperf3-udp.json")
    assert [(entry.values, entry.better) for entry in udp.series if entry.metric == "lost"] == [
        (((0.0,),), "lower")
    ]


def test_iperf3_in_both_directions_has_both_of_them(outputs):
    document = {"start": {"version": "iperf 3.12"}, "end": {}}
    for name, rate in (("sum_received", 2e9), ("sum_received_bidir_reverse", 3e9)):
        document["end"][name] = {"bits_per_second": rate, "bytes": 1}
    contents = outputs.read(json.dumps(document))
    assert {entry.metric: entry.values for entry in contents.series} == {
        "received": ((2e9,),),
        "received_reverse": ((3e9,),),
    }


def test_several_reports_of_iperf3_in_one_file_are_launches(outputs):
    text = outputs.text("iperf3.json")
    (launches,) = outputs.values(outputs.read(text + text + text), "received").values()
    assert len(launches) == 3


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("iperf3-error.json", "unable to connect to server: Connection refused"),
        ("wrk-refused.txt", "2011 responses are not 2xx or 3xx"),
        ("wrk-unreached.txt", "unable to connect to 127.0.0.1:8197 Connection refused"),
        ("k6-failed.json", "21 requests failed"),
        ("k6-unreached.json", "3 requests failed"),
        (
            "pgbench-aborted.txt",
            "pgbench: client 0 script 0 aborted in command 0 query 0: ERROR: division by zero",
        ),
        ("pgbench-serial.txt", "1053 transactions failed"),
        (
            "sysbench-fatal.txt",
            "sysbench: Cannot find benchmark '/nosuch.lua': no such built-in test, file or module",
        ),
        ("mlperf-aborted.txt", "run_stop says aborted"),
        ("mlperf-cut.txt", "the training has no end (run_stop)"),
    ],
)  # fmt: skip
def test_a_run_that_failed_is_counted_once_with_its_reason(outputs, name, reason):
    contents = outputs.file(name)
    assert not any(entry.values for entry in contents.series)
    assert [text for _, text in outputs.failures(contents)] == [reason]


def test_wrk_has_latencies_in_seconds_whatever_it_prints(outputs):
    contents = outputs.file("wrk.txt")
    assert outputs.values(contents, "requests") == {LOOP: ((1818.71,),)}
    assert outputs.values(contents, "latency_p50_s") == {LOOP: ((pytest.approx(528e-6),),)}
    assert outputs.values(contents, "latency_p99_s") == {LOOP: ((pytest.approx(22.46e-3),),)}


def test_socket_errors_of_wrk_are_a_failure(outputs):
    text = outputs.text("wrk.txt").replace(
        "Requests/sec", "  Socket errors: connect 0, read 0, write 0, timeout 7\nRequests/sec"
    )
    assert (
        outputs.failures(outputs.read(text))[0][1] == "socket errors: connect 0, read 0, write 0, timeout 7"
    )


def test_k6_has_its_requests_and_their_durations(outputs):
    contents = outputs.file("k6.json")
    assert {entry.metric: (entry.unit, entry.better) for entry in contents.series}["duration_p95_s"] == (
        "s",
        "lower",
    )
    assert outputs.values(contents, "requests") == {"": ((1138.5949590188363,),)}


def test_a_threshold_that_k6_crossed_is_a_failure_in_both_of_its_summaries(outputs):
    crossed = outputs.text("k6.json").replace('"p(95)<2000": false', '"p(95)<2000": true')
    reason = "k6 crossed the threshold http_req_duration p(95)<2000"
    assert outputs.failures(outputs.read(crossed)) == [({}, reason)]
    data = outputs.text("k6-unreached.json").replace('"passes": 3, "fails": 0', '"passes": 0, "fails": 3')
    assert outputs.failures(outputs.read(data)) == []
    data = data.replace('{"ok": true}', '{"ok": false}')
    assert outputs.failures(outputs.read(data)) == [({}, reason)]


def test_pgbench_has_rate_and_latency_and_a_run_that_stopped_early_failed(outputs):
    contents = outputs.file("pgbench.txt")
    title = "<builtin: TPC-B (sort of)> scale=1 mode=simple clients=2 threads=2"
    assert contents.tool == "pgbench 15.18"
    assert outputs.values(contents, "tps") == {title: ((279.699706,),)}
    assert outputs.values(contents, "latency_s") == {title: ((pytest.approx(7.151e-3),),)}
    without_stderr = outputs.text("pgbench-aborted.txt").replace("pgbench: error", "")
    assert (
        outputs.failures(outputs.read(without_stderr))[0][1]
        == "pgbench was aborted: 5 transactions are missing"
    )


@pytest.mark.parametrize(
    ("name", "test", "metric", "value"),
    [
        ("sysbench-cpu.txt", "cpu", "events", 1942.57),
        ("sysbench-memory.txt", "memory", "transfer", 2999.30 * 2**20),
        ("sysbench-fileio.txt", "fileio", "reads", 7412.25),
    ],
)
def test_sysbench_has_the_rates_of_each_of_its_tests(outputs, name, test, metric, value):
    (entry,) = (entry for entry in outputs.file(name).series if entry.metric == metric)
    assert (entry.levels["test"], entry.better) == (test, "higher")
    assert entry.values == ((pytest.approx(value),),)


def test_sysbench_with_a_histogram_has_quantiles_with_intervals(outputs):
    assert "p99 8.28 ms (95 % CI 8.13 ms to 9.56 ms)" in outputs.file("sysbench-histogram.txt").notes[-1]


def test_benchexec_has_every_task_and_counts_timeouts_and_errors(outputs):
    contents = outputs.file("benchexec.xml.bz2")
    assert (contents.tool, contents.host["host"]) == ("benchexec 3.35", "vm")
    assert outputs.values(contents, "cputime_s") == {
        "t1.txt run_set=tasks": ((0.003297559,),),
        "t2.txt run_set=tasks": ((0.004844268,),),
    }
    late, bad = contents.failures
    assert (late.levels["task"], late.timed_out, late.failed) == ("t3.txt", 1, 0)
    assert (bad.levels["task"], bad.failed, bad.reason) == ("t4.txt", 1, "BenchExec: ERROR (3)")
    assert late.values[0]["walltime_s"] == pytest.approx(3.0546, abs=1e-4)


def test_a_wrong_answer_of_a_solver_is_no_solved_task(outputs):
    text = """<result benchmarkname="s" generator="BenchExec 3.35" name="r">
    <run name="a.c"><column title="status" value="true"/><column title="category" value="correct"/>
      <column title="cputime" value="1.5s"/></run>
    <run name="b.c"><column title="status" value="false(unreach-call)"/>
      <column title="category" value="wrong"/><column title="cputime" value="0.5s"/></run>
    <run name="c.c"><column title="status" value="unknown"/><column title="category" value="unknown"/>
      <column title="cputime" value="2.5s"/></run></result>"""
    contents = outputs.read(text)
    assert outputs.values(contents, "cputime_s") == {"a.c": ((1.5,),)}
    assert [reason for _, reason in outputs.failures(contents)] == [
        "BenchExec: false(unreach-call) (wrong)",
        "BenchExec: unknown",
    ]


def test_a_table_of_benchexec_has_the_runs_of_its_files(outputs):
    table = outputs.file("benchexec-table.csv")
    of_file = outputs.values(outputs.file("benchexec.xml.bz2"), "cputime_s")
    of_table = outputs.values(table, "cputime_s")
    names = [name.replace("=tasks", "=a.tasks tool=mytool 1.2") for name in of_file]
    assert [of_table[name] for name in names] == list(of_file.values())
    assert len(of_table) == 4
    assert len(outputs.failures(table)) == 4


def test_invocations_of_rebench_are_launches_with_iterations(outputs):
    contents = outputs.file("rebench.data")
    title = "One executor=f suite=s input=2 cores=1"
    launches = outputs.values(contents, "total_s")[title]
    assert launches == ((pytest.approx(201e-6), pytest.approx(202e-6), pytest.approx(203e-6)),) * 3
    assert contents.repeats == "launch"


def test_invocations_that_rebench_has_no_value_of_failed(outputs):
    contents = outputs.file("rebench-part.data")
    assert [len(values) for values in outputs.values(contents, "total_s").values()] == [3, 1]
    assert [(levels["input"], reason) for levels, reason in outputs.failures(contents)] == [
        (2, "ReBench has no value of invocation 2, which failed or did not run"),
        (2, "ReBench has no value of invocation 3, which failed or did not run"),
    ]


def test_repetitions_of_ramble_are_launches_and_its_summaries_are_none(outputs):
    contents = outputs.file("ramble.json")
    rates = outputs.values(contents, "Copy_top_rate")
    assert [len(values) for values in rates.values()] == [3, 2]
    assert {entry.metric: (entry.unit, entry.better) for entry in contents.series} == {
        "Copy_top_rate": ("B/s", "higher"),
        "Copy_average_time_s": ("s", "lower"),
    }
    ((levels, reason),) = outputs.failures(contents)
    assert (levels["experiment"], reason) == ("streamc.streamc.size_2000000", "Ramble: FAILED")


def test_exacb_has_a_row_for_each_run_and_counts_those_without_success(outputs):
    contents = outputs.file("exacb.json")
    assert list(outputs.values(contents, "runtime_s").values()) == [((12.5,), (12.9,))]
    assert [(levels["nodes"], reason) for levels, reason in outputs.failures(contents)] == [
        (2, "success is false")
    ]


def test_a_training_of_mlperf_has_its_time_and_throughput(outputs):
    contents = outputs.file("mlperf-success.txt")
    (entry,) = (entry for entry in contents.series if entry.metric == "time_to_train_s")
    assert (dict(entry.levels), entry.better) == ({"benchmark": "resnet", "batch": 128}, "lower")
    assert 0.4 <= entry.values[0][0] < 60
    assert outputs.values(contents, "throughput") == {"resnet batch=128": ((100.5, 101.5),)}


def test_the_distribution_of_a_histogram_has_quantiles_and_intervals(outputs):
    contents = outputs.file("hdr.hgrm")
    assert outputs.values(contents, "p99") == {"": ((24559.0,),)}
    assert "p99 24,559 (95 % CI 23,151 to 25,599), p99.9 35,679" in contents.notes[-1]


CLICKBENCH = """{"system": "DuckDB", "machine": "c6a.large", "load_time": 9, "result": [
[0.04, 0.001, 0.002], [4.0, 2.5, 2.25], [null, null, null]]}"""


def test_clickbench_tells_cold_from_hot_and_counts_queries_without_a_time(outputs):
    contents = outputs.read(CLICKBENCH)
    assert outputs.values(contents, "hot_s") == {"Q0": ((0.001, 0.002),), "Q1": ((2.5, 2.25),)}
    assert outputs.values(contents, "cold_s") == {"Q0": ((0.04,),), "Q1": ((4.0,),)}
    assert outputs.failures(contents) == [({"query": "Q2"}, "a try of the query has no time")]
    assert contents.host == {"host": "c6a.large"}


LLAMA = """{"build_commit": "8cf427ff", "build_number": 5163, "cpu_info": "a CPU", "gpu_info": "a GPU",
"backends": "CUDA", "model_type": "qwen2 7B", "n_threads": 8, "n_prompt": 0, "n_gen": 128, "avg_ns": 1000,
"avg_ts": 118.5, "samples_ns": [1075361300, 1065089400], "samples_ts": [119.03, 120.178]}"""


@pytest.mark.parametrize("text", [f"[{LLAMA}]", LLAMA.replace("\n", "")])
def test_llama_bench_has_every_repetition_of_json_and_of_json_lines(outputs, text):
    contents = outputs.read(text)
    assert (contents.tool, contents.repeats) == ("llama-bench 5163", "process")
    (entry,) = (entry for entry in contents.series if entry.metric == "rate")
    assert (entry.values, entry.unit, entry.better) == (((119.03, 120.178),), "tokens/s", "higher")
    assert entry.levels["n_gen"] == 128


NCCL = """# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20
#                                             out-of-place                       in-place
#       size   count   type  redop  root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                   (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8       2  float    sum    -1    12.90    0.00    0.00      0    12.87    0.00    0.00      0
     1048576  262144  float    sum    -1    27.76   37.78   66.11      0    27.49   38.15   66.76      3
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 92.3405
"""


def test_the_tests_of_nccl_have_sizes_and_count_wrong_values(outputs):
    contents = outputs.read(NCCL)
    title = "float redop=sum root=-1 bytes=8 gpus=8 threads=1"
    assert outputs.values(contents, "time_s") == {title: ((pytest.approx(12.9e-6),),)}
    assert outputs.failures(contents)[0][1] == "3 wrong values in place"
    by_ranks = "".join(f"[1,0]<stdout>:{line}\n" for line in NCCL.splitlines())
    assert outputs.values(outputs.read(by_ranks), "time_s") == outputs.values(contents, "time_s")


INFERENCE = """================================================
MLPerf Results Summary
================================================
SUT name : PySUT
Scenario : Offline
Mode     : PerformanceOnly
Samples per second: 1234.5
Result is : VALID
"""


def test_an_invalid_result_of_mlperf_inference_failed(outputs):
    assert outputs.values(outputs.read(INFERENCE), "rate") == {
        "PySUT scenario=Offline mode=PerformanceOnly": ((1234.5,),)
    }
    assert (
        outputs.failures(outputs.read(INFERENCE.replace("VALID", "INVALID")))[0][1] == "the result is INVALID"
    )


def test_every_file_is_recognised_as_that_of_its_tool(outputs, files):
    names = {name: outputs.file(name).tool.partition(" ")[0] for name in files()}
    assert {name: tool for name, tool in names.items() if not name.startswith(tool.split("-")[0])} == {}


def test_a_report_of_junit_has_a_time_for_each_test_and_counts_failures(outputs):
    contents = outputs.file("junit-pytest.xml")
    assert list(outputs.values(contents, "time_s")) == ["test_sleep class=test_x"]
    assert [(levels["test"], reason) for levels, reason in outputs.failures(contents)] == [
        ("test_disk", "OSError: no space left")
    ]
    case = "<testcase name='a' time='1.5'/>"
    nested = f"<testsuites><testsuite><testsuite>{case}</testsuite></testsuite></testsuites>"
    assert outputs.values(outputs.read(nested), "time_s") == {"a": ((1.5,),)}
    broken = nested.replace("time='1.5'/>", "time='1.5'><error>lost\nlater</error></testcase>")
    assert [reason for _, reason in outputs.failures(outputs.read(broken))] == ["lost"]


def test_a_report_of_junit_without_times_says_what_its_writer_has_to_add(outputs):
    contents = outputs.read("<testsuites><testsuite><testcase name='a'/></testsuite></testsuites>")
    ((_, reason),) = outputs.failures(contents)
    assert reason.startswith('no time: the writer has to add time="…"')


def test_tests_of_one_name_in_two_suites_of_junit_are_two_tests(outputs):
    suites = [
        f"<testsuite name='{name}'><testcase name='t' time='{time}'/></testsuite>"
        for name, time in (("fast", 1), ("slow", 100))
    ]
    contents = outputs.read(f"<testsuites>{''.join(suites)}</testsuites>")
    assert outputs.values(contents, "time_s") == {"t class=fast": ((1.0,),), "t class=slow": ((100.0,),)}


def test_a_skipped_test_of_junit_without_a_message_is_called_skipped(outputs):
    cases = "<testcase name='t' time='1'/><testcase name='s' time='0'><skipped/></testcase>"
    assert outputs.read(f"<testsuite>{cases}</testsuite>").skipped == {"s": "skipped"}


def perfgate_sample(wall_ms: int, exit_code: int = 0, **fields: object) -> dict[str, object]:
    return {"wall_ms": wall_ms, "exit_code": exit_code, "warmup": False, "timed_out": False, **fields}


PERFGATE_RUN = {
    "schema": "perfgate.run.v1",
    "tool": {"name": "perfgate", "version": "0.18.0"},
    "run": {"id": "baseline", "host": {"os": "linux", "arch": "x86_64", "cpu_count": 2, "memory_bytes": 0}},
    "bench": {"name": "cli/check", "command": ["./x"], "repeat": 4, "warmup": 1},
}


def test_a_receipt_of_perfgate_has_its_samples_without_warm_ups_and_its_failures(outputs):
    samples = [
        perfgate_sample(99, warmup=True),
        perfgate_sample(15, cpu_ms=14, max_rss_kb=2048, stderr="Status: ok"),
        perfgate_sample(16, cpu_ms=14, max_rss_kb=2048),
        perfgate_sample(16, 3),
        perfgate_sample(200, -1, timed_out=True),
    ]
    contents = outputs.read(json.dumps({**PERFGATE_RUN, "samples": samples, "stats": {}}))
    assert contents.tool == "perfgate 0.18.0"
    assert contents.host == {"os": "linux", "arch": "x86_64", "cpus_online": 2}
    assert outputs.values(contents, "wall_s") == {"cli/check": ((0.015,), (0.016,))}
    assert outputs.values(contents, "rss_bytes") == {"cli/check": ((2**21,), (2**21,))}
    assert [(entry.failed, entry.timed_out, entry.reason) for entry in contents.failures] == [
        (1, 0, "exit code 3"),
        (0, 1, "perfgate: it timed out"),
    ]


def test_a_paired_receipt_of_perfgate_has_both_sides(outputs):
    samples = [
        {"warmup": number == 0, "baseline": perfgate_sample(18 + number), "current": perfgate_sample(30)}
        for number in range(3)
    ]
    document = {**PERFGATE_RUN, "schema": "perfgate.paired.v1", "samples": samples}
    contents = outputs.read(json.dumps(document))
    assert outputs.values(contents, "wall_s") == {
        "baseline benchmark=cli/check": ((0.019,), (0.02,)),
        "current benchmark=cli/check": ((0.03,), (0.03,)),
    }
