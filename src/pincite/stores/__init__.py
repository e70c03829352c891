"""Where documents, chunks, terms, vectors and answers are kept. ``wiring.stores`` opens them: each needs settings of its own."""
