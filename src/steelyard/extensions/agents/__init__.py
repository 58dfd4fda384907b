"""Tools for agents: a server of the Model Context Protocol, and the skill that says when to use which."""
