"""The site: these pages as HTML (``./dev site``)."""

from steelyard import __version__

project = "Steelyard"
author = "The Steelyard developers"
version = release = __version__

extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["decisions"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# Pages link to files of the repository, which are not part of the site.
suppress_warnings = ["myst.xref_missing", "myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = f"Steelyard {__version__}"
html_extra_path = ["spec.schema.json", "schemas"]
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
