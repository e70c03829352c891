"""What the global options say, and what every command needs: notes, settings, a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pincite.cli.output import complain

if TYPE_CHECKING:
    from pincite.config import Loaded
    from pincite.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Session:
    """The global options. ``colour`` and ``colour_errors``: of standard output and standard error."""

    assignments: tuple[str, ...] = ()
    config: str | None = None
    quiet: bool = False
    colour: bool = False
    colour_errors: bool = False

    def note(self, text: str) -> None:
        """Say something beside the data: to standard error, and not with ``--quiet``."""
        if not self.quiet:
            complain(text)

    def with_setting(self, name: str, value: str | None) -> Session:
        """A session in which ``name`` is set, as with ``-c name=value``; the same one for ``None``."""
        return self if value is None else replace(self, assignments=(*self.assignments, f"{name}={value}"))

    def settings(self) -> Loaded:
        """The settings that hold for this call."""
        from pincite.config import load

        return load(self.config, assignments=self.assignments)

    @contextmanager
    def stored(self) -> Iterator[Pipeline]:
        """A pipeline for what only looks at the database: no embedder and no telemetry is loaded for it."""
        with self.with_setting("telemetry.enabled", "false").pipeline(embedder=None) as pipeline:
            yield pipeline

    @contextmanager
    def pipeline(self, *, create: bool = False, **given: Any) -> Iterator[Pipeline]:
        """A pipeline as the settings say, with the parts in ``given``; closed at the end.

        Only what writes documents passes ``create``: everything else says that there is no database yet.
        """
        from pincite.pipeline import Pipeline
        from pincite.wiring import assemble

        parts, settings = assemble(self.settings(), given, create=create)
        with Pipeline(parts, settings) as pipeline:
            yield pipeline
