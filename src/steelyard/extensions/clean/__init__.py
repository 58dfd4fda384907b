"""Old records, trees and builds below the user's state and cache directories: which, and removing them."""
