"""YAML that people write about documents: every value a text, nothing twice, nothing that refers to anything."""

from __future__ import annotations

from typing import Any

from pincite.errors import ParseError

MAX_CHARS = 64_000
"""PyYAML's time and depth grow with what it reads; nobody writes more about a document."""
_MAX_DEPTH = 20
_NOTHING = ("", "null", "Null", "NULL", "~")


def read_yaml(text: str, source: str, *, what: str = "", first_line: int = 1) -> Any:
    """Mappings, lists, texts and ``None``. ``2.10`` stays ``2.10``, ``no`` stays ``no`` and a date is a text.

    Args:
        source: Name of the file, for messages; ``first_line`` is the line of it where ``text`` begins.
        what: What is read, if not the whole file.

    Raises:
        ParseError: Naming file and line: if it is no YAML, gives a name twice, uses anchors or tags, or is too long.

    >>> read_yaml("version: 2.10\\ntags: [a, 'b']\\nowner:", "fees.yaml")
    {'version': '2.10', 'tags': ['a', 'b'], 'owner': None}
    """
    import yaml

    if len(text) > MAX_CHARS:
        raise ParseError(
            f"{what or 'the file'} has {len(text)} characters, at most {MAX_CHARS} are read", where=source
        )

    def problem(said: str, mark: Any) -> ParseError:
        line = f"{source}:{mark.line + first_line}" if mark is not None else source
        return ParseError(f"{what + ': ' if what else ''}{said}", where=line)

    def check() -> None:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise problem("anchors and references (& and *) are not read", event.start_mark)
            if getattr(event, "tag", None):
                raise problem("tags (!) are not read", event.start_mark)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise problem(f"nested more than {_MAX_DEPTH} deep", event.start_mark)

    def value(node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return None if node.style is None and node.value in _NOTHING else node.value
        if isinstance(node, yaml.SequenceNode):
            return [value(one) for one in node.value]
        found: dict[str, Any] = {}
        for key, one in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise problem("a name must be a text", key.start_mark)
            if key.value in found:
                raise problem(f"{key.value!r} is given twice", key.start_mark)
            found[key.value] = value(one)
        return found

    try:
        check()
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        said = " ".join(filter(None, (error.context, error.problem)))
        raise problem(f"no YAML: {said}", error.problem_mark or error.context_mark) from error
    except (yaml.YAMLError, RecursionError) as error:  # characters that YAML does not allow
        raise ParseError(f"{what or 'the file'} is no YAML", where=source) from error
    return value(node) if node is not None else None
