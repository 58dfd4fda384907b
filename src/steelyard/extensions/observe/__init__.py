"""``observe``: what a probe costs the program that it observes."""
