"""Values and definitions that every room uses; nothing here knows another room."""
