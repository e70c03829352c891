"""The five sources' own names and shapes, one module each: thin adapters over the package, with the sources' own arithmetic.

Their functions take any retriever with ``.search()`` and any model with ``.invoke()`` (``compat.calls``). What they count is
what their source counts; for verdicts on the words themselves use ``pincite.verify``.
"""
