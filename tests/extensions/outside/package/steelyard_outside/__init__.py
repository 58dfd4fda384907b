"""An extension of another package: a command, a reader, a kind of claim, a context, a section of the page."""

from __future__ import annotations

from steelyard import ClaimKind, Command, Extension

extension = Extension(
    name="outside",
    purpose="what a package of somebody else can add",
    commands={"answer": Command("Print the answer.", "steelyard_outside.command:command")},
    readers={"lines": "steelyard_outside.reader:read"},
    claims={
        "many": ClaimKind(
            "steelyard_outside.claim:Many", "steelyard_outside.claim:judge_many", "steelyard_outside.claim"
        )
    },
    contexts={"shout": "steelyard_outside.context:shout"},
    parts={"count": "steelyard_outside.page:count_trials"},
    sections={"count": "steelyard_outside.page:section"},
)
