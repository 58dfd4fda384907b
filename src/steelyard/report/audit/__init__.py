"""An audit in words, and as a picture."""
