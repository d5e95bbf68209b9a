"""What is known of a site before its first page is rendered, for builds and the preview alike."""
