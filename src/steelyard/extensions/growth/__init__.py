"""How metrics grow with a parameter: models, rules between functions, and expectations of both."""
