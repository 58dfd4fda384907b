"""What an audit says: in words, as a picture, and as JSON."""
