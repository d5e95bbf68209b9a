"""The authoring API: pages read and written over HTTP, in the very files that a writer edits."""
