"""What a page does not show: elements hidden by attribute, by style or by a plain rule of its own style sheet.

Colours and places off the screen are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*"
    r"(?:0+(?:\.0*)?|\.0+)(?:px|pt|em|rem|%)?\s*(?=;|!|$))",
    re.IGNORECASE,
)
_MAX_SELECTORS = 200
_MAX_RULE_CHARS = 2000


def is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return False
    style = attributes.get("style")
    return (
        attributes.get("role") == "navigation"
        or ("hidden" in attributes and attributes.get("hidden") != "until-found")
        or (node.tag == "input" and attributes.get("type") == "hidden")
        or (style is not None and _HIDING.search(style[:2000]) is not None)
    )


def hidden_by_rules(page: LexborHTMLParser) -> Iterator[int]:
    """Elements that the page's own style sheet hides by a plain rule, such as ``.x {display: none}``."""
    from selectolax.lexbor import SelectolaxError

    selectors: list[str] = []
    for style in page.css("style"):
        if (style.attributes.get("media") or "all").strip().lower() not in ("", "all", "screen"):
            continue
        for rule in _without_at_blocks(style.text()).split("}"):
            names, brace, declarations = rule.partition("{")
            if brace and len(names) <= _MAX_RULE_CHARS and _HIDING.search(declarations[:_MAX_RULE_CHARS]):
                # A state such as :hover, or a pseudo element, says nothing of the page as it opens.
                selectors += [name.strip() for name in names.split(",") if ":" not in name]
    for selector in selectors[:_MAX_SELECTORS]:
        try:
            nodes = page.css(selector)
        except SelectolaxError:  # not a selector, or one that the parser does not know
            continue
        for node in nodes:
            yield node.mem_id


def _without_at_blocks(css: str) -> str:
    """Rules at the top level only: those in ``@media print {…}`` do not hold on a screen."""
    kept: list[str] = []
    depth = at_depth = 0
    start = 0
    css = _without_comments(css)
    for match in re.finditer(r"[{};@]", css):
        token = match.group()
        if token == "@" and not depth and not at_depth:
            kept.append(css[start : match.start()])
            at_depth = 1
        elif token == ";" and at_depth and not depth:
            # ``@import …;`` has no block.
            at_depth, start = 0, match.end()
        elif token == "{":
            depth += 1
        elif token == "}" and depth:
            depth -= 1
            if not depth and at_depth:
                at_depth, start = 0, match.end()
    if not at_depth:
        kept.append(css[start:])
    return "".join(kept)


def _without_comments(css: str) -> str:
    first, *others = css.split("/*")
    return first + "".join(part.partition("*/")[2] for part in others)
