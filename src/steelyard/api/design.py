"""Layouts, sign tables, interventions and places of ranks: what is varied, and where."""

from __future__ import annotations

from steelyard.core.factorial.signs import sign_table as make_sign_table
from steelyard.extensions.plan.text import sign_lines as render_signs
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.layout import lay_out
from steelyard.spec.platform import list_places
from steelyard.spec.text.placeholders import expand as expand_placeholders

__all__ = [
    "INTERVENTIONS",
    "expand_placeholders",
    "lay_out",
    "list_places",
    "make_sign_table",
    "render_signs",
]
