"""Records, condensed to what a history and a lake keep of them."""
