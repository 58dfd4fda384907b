"""What observing a program does to it: each probe against the program without one, paired by block."""
