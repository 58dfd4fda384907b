"""Locale as a level."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions.lc_all import LcAll, has_locale


def test_every_machine_has_the_locale_c_and_none_has_one_that_nobody_made():
    assert has_locale("C")
    assert not has_locale("xx_XX.UTF-8")


def test_a_locale_is_one_variable_and_the_inherited_one_is_none():
    assert LcAll().change("en_US.UTF-8").env == {"LC_ALL": "en_US.UTF-8"}
    assert LcAll().change("inherited").env == {}


def test_a_locale_that_is_not_installed_is_missing_with_how_to_list_those_that_are():
    assert LcAll().missing("xx_XX.UTF-8") == (
        "the locale xx_XX.UTF-8 is not installed (locale -a lists those that are)"
    )
    assert LcAll().missing("inherited") is None


@pytest.mark.parametrize("name", ["C", "POSIX", "C.UTF-8", "de_DE", "sr_RS.UTF-8@latin"])
def test_names_of_locales_are_levels(name):
    assert LcAll().check(name) == name


@pytest.mark.parametrize("name", ["../C", "C\n", "english", "C=1", 8])
def test_what_is_no_name_of_a_locale_is_refused(name):
    with pytest.raises(UsageError, match="is not a level of lc_all"):
        LcAll().check(name)
