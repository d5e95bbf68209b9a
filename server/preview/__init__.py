"""The preview: the site as a static host would show it, built again at every change."""
