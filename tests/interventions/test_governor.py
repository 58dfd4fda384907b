from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions.governor import Governor
from steelyard.interventions.launch_change import HostSetting, LaunchChange
from steelyard.interventions.transparent_huge_pages import TransparentHugePages


@pytest.fixture
def two_cpus(tmp_path):
    for cpu in range(2):
        directory = tmp_path / f"cpu{cpu}" / "cpufreq"
        directory.mkdir(parents=True)
        (directory / "scaling_governor").write_text("schedutil\n")
        (directory / "scaling_available_governors").write_text("performance schedutil\n")
    return Governor(lambda: frozenset({0, 1}), tmp_path)


def test_a_governor_is_one_file_for_each_cpu_and_system_none(two_cpus):
    files = [two_cpus.sysfs / f"cpu{cpu}/cpufreq/scaling_governor" for cpu in range(2)]
    result = tuple(HostSetting(str(file), "performance") for file in files)
    assert two_cpus.change("performance").host == result
    assert two_cpus.change("system") == LaunchChange()


def test_a_governor_that_the_machine_does_not_offer_is_missing_with_those_it_does(two_cpus):
    assert two_cpus.missing("performance") is None
    assert two_cpus.missing("powersave").endswith("(it has performance, schedutil)")
    assert two_cpus.missing("system") is None


def test_a_machine_without_frequencies_has_no_governor(tmp_path):
    none = Governor(lambda: frozenset({0}), tmp_path)
    assert none.missing("performance").startswith("this machine shows no governors")


@pytest.mark.parametrize("level", ["../../x", "Performance", "a" * 16, "a b"])
def test_what_can_be_no_name_of_a_governor_is_refused(level):
    with pytest.raises(UsageError):
        Governor().check(level)


def test_huge_pages_for_all_are_a_setting_of_the_host_and_never_one_of_the_child(tmp_path):
    path = tmp_path / "enabled"
    path.write_text("always [madvise] never\n")
    pages = TransparentHugePages(path)
    assert pages.missing("always") is None
    assert pages.change("always") == LaunchChange(host=(HostSetting(str(path), "always"),))
    assert pages.change("never") == LaunchChange(huge_pages_off=True)
    assert all(not pages.change(level).host for level in pages.population())
