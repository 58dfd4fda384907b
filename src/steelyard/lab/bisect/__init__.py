"""Bisection: commits built in work trees of their own, and measured side by side with both ends."""
