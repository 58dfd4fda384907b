"""A history as text: changes, series, breaks of the machine, and what was left out."""

from __future__ import annotations

from answers.histories import CHANGE, FOUND, IDS, SERIES, nothing_changed, points
from msgspec.structs import replace

from steelyard.extensions.history.results import MachineBreak, Resolvable, Wander
from steelyard.extensions.history.text import lines
from steelyard.extensions.history.words import check_words
from steelyard.report.text.change import short_hash
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval
from steelyard.results.left_out import LeftOut


def text(found, width=80):
    return plain(lines(found, width))


def test_a_change_is_told_with_size_interval_place_and_how_to_confirm_it():
    assert text(FOUND) == (
        "gate: 20 records, 0000000000 to 1313131313 (by first parents; 3 commits without\n"
        "  a record)\n"
        "\n"
        "✗ wall_s of nbody: 5.2 % more (95 % CI 4.6 to 5.7 %): 12.04 ms → 12.66 ms from\n"
        "    0a0a0a0a0a on (p <0.0001); 0f0f0f0f0f undoes it, or the machine has two\n"
        "    states\n"
        "    one of 2 commits made it (97 % sure, if no machine changed): 0a0a0a0a0a and\n"
        "    0b0b0b0b0b\n"
        "    confirm it side by side: steelyard bisect 0909090909 0a0a0a0a0a --build CMD\n"
        "    -- PROGRAM\n"
        "\n"
        "metric  treatment  records    latest  noise  neighbours r  changes\n"
        "wall_s  nbody           20  12.00 ms  1.2 %          0.21        1\n"
    )


def test_over_a_reference_and_in_the_order_of_time_no_machine_is_in_doubt():
    for history in (replace(FOUND, reference="spin"), replace(FOUND, order="time")):
        assert "one of 2 commits made it (97 % sure): " in text(history, 200)
        assert "two states" not in text(history, 200)


def test_a_history_of_two_machines_has_its_rate_on_each_machine():
    calm = replace(FOUND, series=(replace(SERIES, changes=()),), machines=({"cpu": "a"}, {"cpu": "b"}))
    assert "(false discovery rate at most 1 % on each machine)." in text(calm, 200)


def test_a_change_of_scatter_and_one_of_slow_runs_say_so():
    spread = replace(CHANGE, kind="spread", before=0.01, after=0.03, ratio=3.0, ci95=Interval(2.2, 4.1))
    slow = replace(CHANGE, kind="slow_runs", before=0.05, after=0.35, ratio=None, ci95=None)
    words = text(replace(FOUND, series=(replace(SERIES, changes=(spread, slow)),)), 200)
    assert "the scatter of its runs, 3.0 × (95 % CI 2.2 to 4.1): 1 % → 3 % from " in words
    assert "the fraction of its slow runs, 5 % → 35 % from " in words
    assert "bisect" not in words


def test_a_history_without_a_change_says_what_that_rests_on():
    words = text(replace(FOUND, series=(replace(SERIES, changes=()),) * 2), 200)
    assert "No lasting change in 2 series (false discovery rate at most 1 % on this machine)." in words


def test_a_drift_blames_no_commit_and_names_the_cure():
    words = text(
        replace(FOUND, series=(replace(SERIES, changes=(), wanders=(Wander("level", "line", 1.22),)),)), 200
    )
    assert "? wall_s of nbody drifts by 22 % from the first record to the last" in words
    assert "--reference LABEL" in words
    assert "Levels wander; no single step stands out." in words


def test_breaks_outliers_refusals_and_what_was_left_out_are_notes():
    few = replace(
        SERIES, treatment="other", changes=(), refused="3 records from one machine", points=points(3)
    )
    result = replace(
        FOUND,
        machines=({"kernel": "a"}, {"kernel": "b"}),
        breaks=(MachineBreak(IDS[4], IDS[5], ('kernel: "a" → "b"',)),),
        left_out=(LeftOut("x.lab", "is damaged"),),
        series=(replace(SERIES, outliers=(IDS[3],)), few),
    )
    words = text(result, 200)
    assert 'Between 0404040404 and 0505050505 the machine changed (kernel: "a" → "b"): nothing is' in words
    assert "- nbody: 1 outlying record, 0303030303; it moves nothing.\n" in words
    assert "- 1 treatment not judged: 3 records from one machine.\n" in words
    assert "- Left out: x.lab is damaged\n" in words
    assert words.splitlines()[6].startswith("metric  treatment  machine  records")


def test_a_change_that_all_treatments_share_may_be_the_machine_s():
    second = replace(SERIES, treatment="other")
    words = text(replace(FOUND, series=(SERIES, second)), 400)
    assert (
        "- From 0a0a0a0a0a on all 2 treatments that are judged became worse, as they do where the machine"
        " changed. A reference program in each record tells (--reference LABEL)."
    ) in words
    for history in (
        replace(FOUND, series=(SERIES, replace(second, changes=()))),
        replace(FOUND, series=(SERIES, replace(second, changes=(replace(CHANGE, direction="better"),)))),
        replace(FOUND, series=(SERIES, second), reference="spin"),
        FOUND,
    ):
        assert "that are judged became" not in text(history, 400)


def test_cpu_time_that_changes_unseen_is_a_note_with_the_option_that_judges_it():
    cpu = replace(SERIES, metric=replace(SERIES.metric, name="cpu_s"))
    output = text(replace(FOUND, cpu_time=(cpu,)), 400)
    assert "- cpu_s of nbody: 5.2 % more (95 % CI 4.6 to 5.7 %)" in output
    assert "no check rests on it (--metric cpu_s judges it)." in output


def test_what_a_name_contains_moves_no_cursor():
    words = text(replace(FOUND, experiment="a\x1b[2Jb", series=(replace(SERIES, treatment="c\rd"),)))
    assert "\x1b" not in words
    assert "\r" not in words


def test_ids_are_shortened_and_names_of_records_are_not():
    assert short_hash(IDS[10]) == "0a0a0a0a0a"
    assert short_hash("2026-11-22-nightly-build") == "2026-11-22-nightly-build"


def test_what_an_exit_code_rests_on_is_said():
    worse = replace(FOUND, series=(replace(SERIES, changes=(replace(CHANGE, undone_by=None),)),))
    assert check_words(FOUND, None, strict=False) == (
        "holds: no lasting change for the worse; a step of 3.1 % in the middle, of 5.8 % two records ago,"
        " would probably have been detected"
    )
    assert check_words(worse, IDS[9], strict=True) == (
        "fails: 1 suspected change for the worse from 0909090909 on that nothing undoes (wall_s of nbody)"
    )
    drifting = replace(FOUND, series=(replace(SERIES, changes=(), wanders=(Wander("level", "line", 1.2),)),))
    assert check_words(drifting, None, strict=True) == "not resolved: wall_s of nbody wanders"


def test_what_cannot_be_excluded_is_said_instead_of_holding():
    noisy = replace(FOUND, series=(replace(SERIES, changes=(), resolvable=Resolvable(0.9, 40.0)),))
    assert check_words(noisy, None, strict=True) == (
        "not resolved: wall_s of nbody is too noisy to show 10 %: a step of 90 % in the middle, of more than"
        " 1000 % two records ago, would probably have been detected"
    )
    assert check_words(noisy, None, strict=True, least=0.9).startswith("holds: ")
    behind = replace(
        nothing_changed(), unmeasured=2, left_out=(LeftOut("x.lab", "is damaged", unreadable=True),)
    )
    assert check_words(behind, IDS[19], strict=False) == (
        "not resolved (--strict makes this exit code 3): x.lab is damaged, 2 commits after 1313131313 without"
        " a record and a change needs 2 records from it on"
    )


def test_an_analysis_that_broke_off_is_said_to_be_a_defect():
    broken = replace(SERIES, changes=(), broken_off="ZeroDivisionError: division by zero")
    result = replace(FOUND, series=(broken,))
    assert "broke off (ZeroDivisionError: division by zero). This is a defect of Steelyard" in text(
        result, 200
    )
    assert check_words(result, None, strict=False) == "not resolved: wall_s of nbody is not judged"
