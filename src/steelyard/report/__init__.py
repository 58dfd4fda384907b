"""What a person, a program or a terminal gets to see of an answer."""
