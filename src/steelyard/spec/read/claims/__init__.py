"""What each kind of ``[[claims]]`` must say, one file for the kinds that are alike."""
