"""Write Vega, Vega-Lite and Vega-Embed as one compressed script that defines ``vegaEmbed``: ``vega.py FILE``.

It is safe inside of an element of HTML, and the same bytes whenever the same vl-convert writes it.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import vl_convert

if __name__ == "__main__":
    code: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    safe = code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    Path(sys.argv[1]).write_bytes(gzip.compress(safe.encode(), mtime=0))
