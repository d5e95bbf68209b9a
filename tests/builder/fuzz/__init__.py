"""Short pieces repeated, wherever text may stand: does the time of a page grow faster than the page?"""
