"""Loaders of public labelled sets: what a checker may see, and apart from it what it is scored by."""
