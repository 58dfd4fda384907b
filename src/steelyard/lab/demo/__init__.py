"""The demo: three experiments on real programs that show, in about a minute, how run times lie."""
