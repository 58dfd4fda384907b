"""The parts of which text is made: lines, labels, digits, tables, progress."""
