"""What changed over a series of records: noise, search, calibration, place and size of each change."""
