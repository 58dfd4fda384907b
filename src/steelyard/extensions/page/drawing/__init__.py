"""Charts drawn as SVG: the part of Vega-Lite that pages and figures use, without a browser."""
