"""From records on the disk to a history: order, machines, refusals, and what is left out."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.history.gathering import collect
from steelyard.extensions.history.history import HistoryRequest, first_since, history
from steelyard.extensions.repository.repository import Repository
from steelyard.lab.summary.condensing import write_summary
from steelyard.store import Record

OTHER_HOST = {"cpu_model": "another", "cpus_online": 2, "kernel": "Linux 6.1", "hostname": "b"}


def step_of(recorded, count=16, at=9, factor=1.2):
    return [recorded(f"r{place:02}.lab", 0.1 * (factor if place >= at else 1), 0.1) for place in range(count)]


def by_treatment(found):
    return {series.treatment: series for series in found.series}


def test_a_step_is_found_in_the_program_that_has_it_and_in_no_other(recorded):
    names = step_of(recorded)
    result = history(HistoryRequest(names=names))
    series = by_treatment(result)
    (change,) = series["a"].changes
    assert (change.last_before, change.first, change.commits) == ("r08", "r09", ("r09",))
    assert change.direction == "worse"
    assert change.ci95.low < 1.2 < change.ci95.high
    assert series["b"].changes == ()
    assert (result.records, result.order, result.first, result.last) == (16, "time", "r00", "r15")


def test_records_are_ordered_by_when_they_were_made_and_not_by_name(recorded):
    late_first = [recorded(name, 0.1, 0.1) for name in ("z.lab", "m.lab", "a.lab")]
    result = history(HistoryRequest(names=sorted(late_first)))
    assert [point.commit for point in result.series[0].points] == ["z", "m", "a"]


def test_a_directory_stands_for_all_records_below_it(recorded, tmp_path):
    for place in range(3):
        recorded(f"kept/of{place}/it.lab", 0.1, 0.1)
    result = history(HistoryRequest(names=[tmp_path / "kept"]))
    assert result.records == 3
    # Three directories of one name: their paths tell them apart.
    assert len({point.commit for point in result.series[0].points}) == 3


def test_another_machine_is_said_and_never_a_change(recorded):
    names = [recorded(f"r{place:02}.lab", 0.1, 0.1) for place in range(8)]
    names += [recorded(f"r{place:02}.lab", 0.15, 0.15, host=OTHER_HOST) for place in range(8, 16)]
    result = history(HistoryRequest(names=names))
    assert all(series.changes == () for series in result.series)
    (only,) = result.breaks
    assert (only.last_before, only.first) == ("r07", "r08")
    assert only.differs == ("cpu_model: made up → another",)
    assert [series.machine for series in result.series] == [1, 2, 1, 2]


def test_two_machines_in_turns_are_two_series_and_a_step_shows_in_both(recorded):
    names = [
        recorded(
            f"r{place:02}.lab",
            0.1 * (1.3 if place >= 16 else 1) * (1.5 if place % 2 else 1),
            0.1,
            **({"host": OTHER_HOST} if place % 2 else {}),
        )
        for place in range(32)
    ]
    result = history(HistoryRequest(names=names))
    firsts = {series.machine: series.changes[0].first for series in result.series if series.treatment == "a"}
    assert firsts == {1: "r16", 2: "r17"}
    assert result.commits == tuple(f"r{place:02}" for place in range(32))
    assert [change.first for _, change in result.changes] == ["r16", "r17"]


def test_a_fact_that_is_ignored_makes_no_other_machine(recorded):
    names = step_of(recorded, count=8, at=99)
    names += [
        recorded(
            f"s{place}.lab", 0.1, 0.1, host={**OTHER_HOST, "cpu_model": "made up", "kernel": "Linux 6.2"}
        )
        for place in range(8)
    ]
    assert len(history(HistoryRequest(names=names)).machines) == 2
    result = history(HistoryRequest(names=names, ignored=("kernel",)))
    assert (len(result.machines), result.breaks) == (1, ())


def test_a_reference_program_takes_the_drift_of_the_machine_out(recorded):
    names = []
    for place in range(24):
        machine = 1.05**place
        names.append(recorded(f"r{place:02}.lab", 0.1 * machine * (1.2 if place >= 12 else 1), 0.2 * machine))
    alone = by_treatment(history(HistoryRequest(names=names)))
    assert alone["b"].wanders[0].ratio == pytest.approx(1.05**23, rel=0.1)
    assert alone["b"].changes == ()
    result = history(HistoryRequest(names=names, reference="b"))
    (series,) = result.series
    assert [change.first for change in series.changes] == ["r12"]
    assert series.changes[0].ratio == pytest.approx(1.2, rel=0.02)
    assert series.points[0].median == pytest.approx(0.5, rel=0.02)


def test_records_of_different_specs_are_refused_with_what_differs(recorded):
    names = [recorded("one.lab", 0.1, 0.1), recorded("other.lab", 0.1, 0.1, words=("prog", "-v"))]
    with pytest.raises(RecordError, match=r"one\.lab and .*other\.lab are of different specs") as error:
        history(HistoryRequest(names=names))
    assert 'program.commands: ["prog","{which}"] → ["prog","-v","{which}"]' in error.value.message


def test_what_does_not_change_the_measurement_may_differ(recorded):
    names = [recorded("one.lab", 0.1, 0.1, blocks=4), recorded("other.lab", 0.1, 0.1, blocks=8)]
    assert history(HistoryRequest(names=names)).records == 2


def test_a_record_that_is_being_written_is_left_out_and_named(recorded):
    names = step_of(recorded, count=7, at=99)
    with Record.open(names[3], write=True):
        result = history(HistoryRequest(names=names))
    assert result.records == 6
    (out,) = result.left_out
    assert out.record == str(names[3])
    assert out.why.startswith("is being written by process ")


def test_a_damaged_record_and_an_empty_one_are_left_out_and_named(recorded):
    names = step_of(recorded, count=7, at=99)
    file = names[2] / "record.sqlite"
    file.write_bytes(file.read_bytes()[:5000])
    names.append(recorded("empty.lab", state="failed"))
    result = history(HistoryRequest(names=names))
    assert result.records == 6
    damaged, empty = result.left_out
    assert "bytes are missing" in damaged.why
    assert empty.why == "has no complete block with positive values"


def test_three_records_are_refused_in_words(recorded):
    result = history(HistoryRequest(names=step_of(recorded, count=3)))
    assert all(series.refused.startswith("3 records") for series in result.series)


def test_a_metric_or_reference_that_no_record_has_is_an_error_with_those_there_are(recorded):
    names = step_of(recorded, count=3)
    with pytest.raises(UsageError, match="no record has a metric 'wal_s'") as error:
        history(HistoryRequest(names=names, metrics=("wal_s",)))
    assert "wall_s" in error.value.hint
    with pytest.raises(UsageError, match="no treatment 'c' to divide by") as error:
        history(HistoryRequest(names=names, reference="c"))
    assert error.value.hint == "--reference with one of: a, b"


def test_several_metrics_are_one_family_each_with_its_series(recorded):
    result = history(HistoryRequest(names=step_of(recorded), metrics=("wall_s", "cpu_s")))
    assert {series.metric.name for series in result.series} == {"wall_s", "cpu_s"}


def cpu_step_of(recorded, noise):
    return [
        recorded(f"r{place:02}.lab", 0.1, 0.1, noise=noise, cpu_s=0.05 * (1.3 if place >= 9 else 1))
        for place in range(16)
    ]


def test_cpu_time_is_told_where_noisy_time_shows_nothing_and_decides_nothing(recorded):
    answer = history(HistoryRequest(names=cpu_step_of(recorded, 0.5)))
    assert {series.metric.name for series in answer.series} == {"wall_s"}
    assert [(series.treatment, series.metric.name) for series in answer.cpu_time] == [
        ("a", "cpu_s"),
        ("b", "cpu_s"),
    ]
    (change,) = answer.cpu_time[0].changes
    assert (change.first, change.direction) == ("r09", "worse")
    assert answer.regressions() == []
    assert answer.exit_code(strict=False) == 0


def test_cpu_time_is_not_told_beside_metrics_that_were_asked_for(recorded):
    names = cpu_step_of(recorded, 0.5)
    assert history(HistoryRequest(names=names, metrics=("wall_s",))).cpu_time == ()
    slower = [
        recorded(f"s{place:02}.lab", *[0.1 * factor] * 2, cpu_s=0.05 * factor)
        for place, factor in enumerate([1.0] * 9 + [1.3] * 7)
    ]
    answer = history(HistoryRequest(names=slower))
    assert all(series.changes for series in answer.series)
    assert answer.cpu_time == ()


def test_cpu_time_is_read_from_summaries_as_from_records(recorded, tmp_path):
    names, file = cpu_step_of(recorded, 0.5), tmp_path / "history.sqlite"
    collect(file, names)
    assert history(HistoryRequest(names=[file])).cpu_time == history(HistoryRequest(names=names)).cpu_time


def test_by_git_records_stand_in_the_order_of_commits_with_those_that_have_none(recorded, commits):
    ids = [commits.commit() for _ in range(20)]
    places = [place for place in range(20) if place not in (3, 11)]
    # Made in the wrong order, as when older commits are measured later.
    records = {
        place: recorded(f"records/{ids[place][:12]}.lab", 0.12 if place >= 12 else 0.1, 0.1)
        for place in reversed(places)
    }
    stranger = recorded("records/feedface00.lab", 0.1, 0.1)
    result = history(
        HistoryRequest(names=[*records.values(), stranger], revision="HEAD", repository=commits.path)
    )
    assert (result.first, result.last, result.missing) == (ids[0], ids[19], 2)
    (change,) = by_treatment(result)["a"].changes
    assert change.commits == (ids[11], ids[12])
    assert (change.last_before, change.first) == (ids[10], ids[12])
    (out,) = result.left_out
    assert out.why == "has no commit of HEAD's first parents in its name"


def test_changes_count_from_any_commit_on_with_a_record_or_without(recorded, commits):
    ids = [commits.commit() for _ in range(6)]
    commits.git("tag", "v1", ids[3])
    names = [recorded(f"{ids[place]}.lab", 0.1, 0.1) for place in (0, 2, 4)]
    request = HistoryRequest(names=names, revision="HEAD", repository=commits.path)
    result = history(request)
    starts = {
        since: first_since(result, request, since) for since in (ids[0], ids[1][:8], "v1", "v1~1", "HEAD~1")
    }
    assert [ids.index(start) for start in starts.values()] == [0, 2, 4, 2, 4]
    with pytest.raises(UsageError, match=f"no record of {ids[5][:10]} or of a later commit"):
        first_since(result, request, "HEAD")
    with pytest.raises(UsageError, match="'v2' names no commit"):
        first_since(result, request, "v2")
    by_time = HistoryRequest(names=names)
    assert first_since(history(by_time), by_time, ids[2][:7]) == ids[2][:7]


def test_changes_count_from_the_merge_of_a_commit_on_and_not_before(recorded, commits):
    first, before = commits.commit(), commits.commit()
    commits.git("checkout", "-q", "-b", "side", first)
    side = [commits.commit(message="side"), commits.commit(message="tip")]
    commits.git("checkout", "-q", "-b", "open", first)
    unmerged = commits.commit(message="open")
    commits.git("checkout", "-q", "main")
    commits.git("merge", "-q", "--no-ff", "--no-edit", "side")
    merge, last = commits.git("rev-parse", "HEAD"), commits.commit()
    names = [recorded(f"{commit}.lab", 0.1, 0.1) for commit in (first, before, merge, last)]
    request = HistoryRequest(names=names, revision="HEAD", repository=commits.path)
    result = history(request)
    assert [first_since(result, request, since) for since in (*side, before)] == [merge, merge, before]
    with pytest.raises(UsageError, match=f"{last[:10]}, the last .* does not contain {unmerged[:10]}"):
        first_since(result, request, "open")


def test_two_records_of_one_commit_are_one_point(recorded, commits):
    first, second = commits.commit(), commits.commit()
    names = [
        recorded(f"first/{first}.lab", 0.1, 0.1),
        recorded(f"again/{first}.lab", 0.1, 0.1),
        recorded(f"first/{second}.lab", 0.1, 0.1),
    ]
    result = history(HistoryRequest(names=names, revision="main", repository=commits.path))
    assert result.records == 3
    assert [point.digest.n for point in result.series[0].points] == [12, 6]


def test_a_file_of_summaries_says_what_its_records_say(recorded, tmp_path):
    names = step_of(recorded)
    file = tmp_path / "history.sqlite"
    assert len(collect(file, names[:10]).records) == 10
    assert len(collect(file, names).records) == 6
    assert collect(file, names).records == ()
    from_file, from_records = (
        history(HistoryRequest(names=source, metrics=("wall_s",))) for source in ([file], names)
    )
    assert from_file == from_records
    assert history(HistoryRequest(names=[file])).series == from_file.series
    both = history(HistoryRequest(names=[file, *names[:3]], metrics=("cpu_s",)))
    assert both.records == 16


def test_a_file_of_something_else_is_refused_and_left_as_it_is(recorded, tmp_path):
    (name,) = step_of(recorded, count=1)
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(RecordError, match="does not hold summaries"):
        collect(file, [name])
    assert file.read_text() == "mine"
    with pytest.raises(UsageError, match=r"neither a record nor a report: .* unrecognised"):
        history(HistoryRequest(names=[file]))


def test_a_damaged_file_of_summaries_is_refused_with_how_to_make_it_again(recorded, tmp_path):
    file = tmp_path / "history.sqlite"
    collect(file, step_of(recorded, count=3))
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(RecordError, match=str(file)):
        history(HistoryRequest(names=[file]))


def test_a_revision_that_does_not_exist_is_an_error(commits):
    commits.commit()
    with pytest.raises(UsageError, match="'nowhere' names no commit"):
        Repository(commits.path).commit("nowhere")
    with pytest.raises(UsageError, match="names no commit"):
        Repository(commits.path).commit("--help")


def test_outside_of_a_repository_is_an_error_with_the_option_that_names_one(tmp_path):
    with pytest.raises(UsageError) as error:
        Repository(tmp_path)
    assert "--repo" in error.value.hint


def test_sealed_records_give_the_history_that_reading_them_gives(recorded, monkeypatch):
    names = step_of(recorded)
    question = [HistoryRequest(names=names), HistoryRequest(names=names, metrics=("cpu_s", "rss_bytes"))]
    read = [history(item) for item in question]
    for name in names:
        write_summary(name)
    monkeypatch.setattr(Record, "open", None)  # nothing is read but seals
    assert [history(element) for element in question] == read


def test_a_sealed_record_that_was_edited_is_left_out_and_named(recorded):
    names = step_of(recorded, at=99)
    for name in names:
        write_summary(name)
    for name in names[9:]:
        with closing(sqlite3.connect(name / "record.sqlite")) as connection, connection:
            connection.execute("UPDATE trial SET wall_ns = wall_ns * 6 / 5 WHERE treatment = 1")
    answer = history(HistoryRequest(names=names))
    assert by_treatment(answer)["a"].changes == ()
    assert [out.record for out in answer.left_out] == [str(name) for name in names[9:]]
    assert all("was edited in block" in out.why for out in answer.left_out)


def test_a_sealed_record_that_is_damaged_is_left_out_and_named(recorded):
    names = step_of(recorded)
    for name in names:
        write_summary(name)
    file = names[3] / "record.sqlite"
    file.write_bytes(file.read_bytes()[:-2000])
    (out,) = history(HistoryRequest(names=names)).left_out
    assert out.record == str(names[3])
    assert "bytes are missing" in out.why


def test_a_metric_that_a_sealed_record_does_not_have_is_an_error_that_names_it(recorded):
    names = step_of(recorded)
    for name in names:
        write_summary(name)
    with pytest.raises(UsageError, match="no record has a metric 'wal_s'"):
        history(HistoryRequest(names=names, metrics=("wal_s",)))


def test_a_url_that_no_extension_keeps_records_at_is_refused_without_its_secrets(recorded, monkeypatch):
    monkeypatch.setattr("steelyard.lab.places.place.list_places", dict)
    names = [*step_of(recorded, count=1), "s3://me:key@x"]
    with pytest.raises(UsageError, match="no installed extension keeps records at a place") as error:
        history(HistoryRequest(names=names))
    assert "key" not in error.value.message
