"""How answers open a sentence without saying anything: "Yes,", "According to the sources,", "In addition,"."""

from __future__ import annotations

import re

# Written for this project. Each language: words alone, and forms of "sources say that".
_OPENINGS: dict[str, str] = {
    "en": r"(?:yes|yeah|sure|well|absolutely|certainly|indeed|in fact|in addition|additionally|moreover|furthermore|however|"
    r"also|therefore|thus|overall|in summary|in short|in conclusion|finally|similarly|meanwhile|for example|for instance|"
    r"(?:according to|based on) (?:\w+ ){0,3}?(?:sources?|documents?|passages?|texts?|context|information|articles?)|"
    r"(?:(?:some|other|one|two|the|both|these|our|your|many|several|different) )?(?:sources?|documents?|passages?) "
    r"(?:also )?(?:states?|says?|tells?|mentions?|notes?|reports?|suggests?|indicates?|shows?|talks? of)(?: us)?(?: that)?)",
    "de": r"(?:ja|gewiss|außerdem|zudem|darüber hinaus|ferner|jedoch|allerdings|daher|somit|insgesamt|zusammenfassend|zum beispiel|"
    r"(?:laut|gemäß|nach) (?:\w+ ){0,2}?(?:quellen?|dokumente?n?|angaben?|texte?n?)|"
    r"(?:die |den )?(?:quellen?|dokumente?) (?:besag(?:en|t)|sag(?:en|t)|nenn(?:en|t)|zufolge)(?:, dass)?)",
    "es": r"(?:sí|claro|además|asimismo|sin embargo|por lo tanto|en resumen|por ejemplo|"
    r"según (?:\w+ ){0,2}?(?:fuentes?|documentos?|textos?)|(?:las? )?(?:fuentes?|documentos?) (?:dicen?|indican?|señalan?)(?: que)?)",
    "fr": r"(?:oui|bien sûr|de plus|en outre|cependant|toutefois|donc|ainsi|en résumé|par exemple|"
    r"(?:selon|d'après) (?:\w+ ){0,2}?(?:sources?|documents?|textes?)|(?:les? |la )?(?:sources?|documents?) "
    r"(?:disent|dit|indiquent?|précisent?)(?: que)?)",
    "ja": "(?:はい|また|さらに|なお|しかし|したがって|例えば|(?:出典|資料|文書|情報源)によると)",
    "zh": "(?:是的|此外|另外|而且|然而|但是|因此|总之|例如|(?:根据|据)(?:资料|来源|文件|文档)(?:显示|所述)?)",
    "ar": "(?:نعم|بالإضافة إلى ذلك|علاوة على ذلك|ومع ذلك|لذلك|على سبيل المثال|(?:وفقا|وفقًا) (?:للمصادر|للمصدر|للوثائق))",
    "hi": "(?:हाँ|जी हाँ|इसके अलावा|हालांकि|इसलिए|उदाहरण के लिए|स्रोतों के अनुसार|दस्तावेज़ के अनुसार)",
}

_LABEL = re.compile(r"\s*(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\S)")
"""The number or bullet of a list item."""

_COMPILED = {
    language: re.compile(rf"(?:[\s*_\"“«>-]*{body}\b[\s,，、:：!.]*){{1,2}}", re.IGNORECASE)
    for language, body in _OPENINGS.items()
}


def opening_end(text: str, language: str | None) -> int:
    """Where the sentence proper begins: 0 when it has no such opening, or nothing else.

    >>> text = "Yes, according to the sources, refunds take 5 days."
    >>> text[opening_end(text, "en") :]
    'refunds take 5 days.'
    """
    label = _LABEL.match(text)
    start = label.end() if label else 0
    pattern = _COMPILED.get(language or "en")
    match = pattern.match(text, start) if pattern else None
    end = match.end() if match else start
    return end if any(char.isalnum() for char in text[end:]) else 0
