"""Results as data: what ``lab`` returns, Python users receive, ``report`` renders and ``--json`` prints."""
