"""Small programs around a sparse product: see utils/guest_corpus.py."""
