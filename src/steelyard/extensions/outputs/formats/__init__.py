"""The declarations, by topic: storage, networks, databases, clusters, suites, learning."""
