"""PDF: text in reading order, with the place of each character on its page.

In the worker process, which is ``worker``: ``chars`` (characters of a page with their places, from pdfium),
``lines`` (characters to lines), ``columns`` and ``layout`` (in which order they are read), ``tables`` and ``ruled`` (tables by
their ruling lines), ``links``,
``merge`` (boxes of characters to boxes of lines), ``png``. It and this process talk in ``frames``.

Here: ``process`` (the worker: started, limited, ended), ``assemble`` (lines of pages to a text, with the way back),
``ocr`` (pages that are pictures), ``read`` (all of it: ``parse``), ``places`` (``boxes`` and ``page_image``, from the
original bytes).
"""

from pincite.parsers.pdf.read import PdfOptions, parse

__all__ = ["PdfOptions", "parse"]
