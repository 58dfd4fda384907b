"""The plugin for pytest: tests whose functions are timed, in turns, and held to claims."""
