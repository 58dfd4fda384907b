from __future__ import annotations

import json
import subprocess
import sys

from msgspec.structs import replace

from steelyard.core.factorial import Axis, Layout
from steelyard.core.factorial.signs import sign_table
from steelyard.extensions.plan import text as plan
from steelyard.extensions.plan.results import PlannedTreatment, Preview, Refusal
from steelyard.report.text.line import plain
from steelyard.spec import experiment

ASKED = experiment(
    name="O2 against O3", program={"command": ["./nbody-{opt}"]}, factors={"opt": ["O2", "O3"]}
)
PLAN = Preview(
    experiment="O2 against O3",
    treatments=(PlannedTreatment(1, "O2", "./nbody-O2 1000"), PlannedTreatment(2, "O3", "./nbody-O3 1000")),
    blocks=30,
    seed=1,
    order="randomized-blocks",
    first_block=("O3", "O2"),
    discard=1,
    contexts=30,
    most_blocks=200,
    target=0.02,
    max_time_s=600,
    estimated_s=75,
    inseparable=("all blocks have one context", "nodes and scale change together (weak): no telling which"),
)


def render(preview, asked=ASKED):
    return plan.render(preview, asked)


def document(preview, asked=ASKED):
    return plan.document(preview, asked)


def test_a_plan_says_order_and_duration_of_runs_and_what_it_cannot_separate():
    assert render(PLAN) == (
        "O2 against O3\n"
        "  design       2 treatments in each of 30 blocks, in random order; 30 contexts;\n"
        "               1 warm-up block (discarded); 62 runs, seed 1\n"
        "  stops        when every interval reaches at most 2 % to either side, after 200\n"
        "               blocks at the latest, after 10 min at the latest\n"
        "  time         about 1 min 15 s\n"
        "  where        on this machine\n"
        "  first block  O3, O2\n"
        "\n"
        "id  treatment  command\n"
        " 1  O2         ./nbody-O2 1000\n"
        " 2  O3         ./nbody-O3 1000\n"
        "\n"
        "Cannot be separated\n"
        "- all blocks have one context\n"
        "- nodes and scale change together (weak): no telling which\n"
    )


def test_a_plan_without_stop_rule_contexts_or_limits_says_nothing_of_them():
    bare = replace(
        PLAN,
        target=None,
        most_blocks=None,
        max_time_s=None,
        contexts=0,
        discard=0,
        inseparable=(),
        estimated_s=None,
    )
    text = render(bare)
    assert "stops" not in text
    assert "contexts" not in text
    assert "separated" not in text
    assert "not known before the first runs" in text
    assert "60 runs" in text


def test_a_hundred_thousand_treatments_are_counted_and_a_few_shown():
    many = tuple(PlannedTreatment(i, f"n={i}", f"./a {i}") for i in range(1, 100_001))
    text = render(
        replace(PLAN, treatments=many, blocks=1, discard=0, first_block=tuple(t.label for t in many))
    )
    assert "100,000 treatments in each of 1 block, in random order" in text
    assert "… and 99,980 more" in text
    assert "… (100,000 runs)" in " ".join(text.split())
    assert len(text.splitlines()) < 40


def test_one_treatment_after_the_other_is_said_as_such():
    usual = replace(
        PLAN, order="sequential", blocks=1, discard=0, contexts=0, first_block=("O2",) * 20 + ("O3",) * 20
    )
    text = " ".join(render(usual).split())
    assert "2 treatments, 20 runs of each, one treatment after the other; 40 runs, seed 1" in text


def test_a_name_in_a_sentence_cannot_move_the_cursor():
    assert "\x1b" not in render(replace(PLAN, inseparable=("a\x1b[2J and b change together",)))


def test_the_document_holds_every_field_and_the_number_of_trials():
    content = json.loads(document(PLAN))
    assert (content["format"], content["version"], content["trials"]) == ("steelyard/plan", 1, 62)
    assert content["treatments"][1] == {
        "id": 2,
        "label": "O3",
        "command": "./nbody-O3 1000",
        "levels": {},
    }
    assert content["inseparable"][0] == "all blocks have one context"


def crossed(k):
    """A plan of k factors with two levels each."""
    layout = Layout("two-level", tuple(Axis(f"f{j}", ({f"f{j}": "no"}, {f"f{j}": "yes"})) for j in range(k)))
    treatments = tuple(
        PlannedTreatment(i, ", ".join(f"{name}={level}" for name, level in cell.items()), "./run", cell)
        for i, cell in enumerate(layout.cells(), 1)
    )
    order = tuple(treatment.label for treatment in treatments[::-1])
    return replace(PLAN, treatments=treatments, first_block=order, signs=sign_table(layout), inseparable=())


def test_several_factors_have_columns_and_a_sign_table_in_the_order_of_yates():
    text = plain(plan.lines(crossed(2), ASKED, signs=True))
    assert text.endswith(
        "  first block  treatments 4, 3, 2, 1\n"
        "\n"
        "id  f0   f1   command\n"
        " 1  no   no   ./run\n"
        " 2  no   yes  ./run\n"
        " 3  yes  no   ./run\n"
        " 4  yes  yes  ./run\n"
        "\n"
        "Signs, in the order of Yates\n"
        "  A is f0: − no, + yes\n"
        "  B is f1: − no, + yes\n"
        "\n"
        "id  treatment  A  B  AB\n"
        " 1  (1)        −  −   +\n"
        " 3  a          +  −   −\n"
        " 2  b          −  +   −\n"
        " 4  ab         +  +   +\n"
    )


def test_a_sign_table_is_shown_where_it_is_asked_for_without_what_does_not_fit():
    assert "Signs" not in render(crossed(2))
    question = plain(plan.lines(crossed(5), ASKED, signs=True))
    assert "32  abcde      +  +  +  +  +\n" in question
    assert "Signs of interactions are the products of these.\n" in question
    assert all(len(line) <= 80 for line in question.splitlines())


def test_a_plan_names_the_build_and_the_claims():
    spec_ = experiment(
        name="built",
        program={"command": ["{build}/nbody", "{n}"]},
        build={"command": ["cc", "-{opt}", "-o", "{build}/nbody", "n body.c"], "inputs": ["n body.c"]},
        factors={"opt": ["O2", "O3"], "n": [1000, 2000]},
        claims=[
            {"faster": {"opt": "O3"}, "than": {"opt": "O2"}, "by": 1.1},
            {"limit": "rss_bytes", "max": "24 MB"},
        ],
    )
    output = render(replace(PLAN, builds=2), spec_)
    assert "  build        cc -{opt} -o {build}/nbody 'n body.c' (2 programs; each is built" in output
    assert "\nClaimed\n- O3 faster than O2 by 1.1\n- rss_bytes at most 24.0 MB\n" in output
    content = json.loads(document(replace(PLAN, builds=2), spec_))
    assert content["build"] == {
        "command": ["cc", "-{opt}", "-o", "{build}/nbody", "n body.c"],
        "programs": 2,
    }
    assert content["claims"][1] == "rss_bytes at most 24.0 MB"


def test_the_document_has_the_signs():
    signs = json.loads(document(crossed(2)))["signs"]
    assert signs["effects"] == ["A", "B", "AB"]
    assert signs["rows"][1] == {"treatment": 3, "name": "a", "signs": [1, -1, -1]}


def test_what_a_run_would_refuse_stands_last_with_its_cure():
    refused = (Refusal("there is no platform 'a.xml'", "give a path"), Refusal("it cannot be had"))
    text = render(replace(PLAN, refused=refused))
    assert text.endswith(
        "\n\nRun on this machine, it would be refused\n"
        "- there is no platform 'a.xml'\n"
        "  hint: give a path\n"
        "- it cannot be had\n"
    )
    assert json.loads(
        document(
            replace(PLAN, refused=refused),
        )
    )["refused"] == [
        {"error": "there is no platform 'a.xml'", "hint": "give a path"},
        {"error": "it cannot be had", "hint": None},
    ]


def test_many_refusals_are_counted():
    many = tuple(Refusal(f"there is no platform '{n}.xml'") for n in range(12))
    text = render(replace(PLAN, refused=many))
    assert "'9.xml'" in text
    assert text.endswith("… and 2 more\n")


def test_a_plan_in_words_needs_no_numpy():
    code = "import sys, steelyard.extensions.plan.text; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_plan_for_nodes_says_how_many_blocks_each_has():
    for nodes, blocks in (({"n1": 15, "n2": 15}, "15 blocks"), ({"n1": 14, "n2": 16}, "14 to 16 blocks")):
        text = " ".join(render(replace(PLAN, nodes=nodes)).split())
        assert f"2 nodes, {blocks} on each, one job for each node and look: n1 and n2" in text
