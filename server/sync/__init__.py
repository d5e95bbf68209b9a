"""Move pages and categories between a folder and a service, in both directions, over the authoring API.

`three_way` decides, from values alone, what changed on which side; `push` and `pull` act on it.
"""
