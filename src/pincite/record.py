"""What the log keeps of an answer beside the answer, and of answers that could not be logged.

Policy: an answer is given though it cannot be logged, and says so (``Answer.logged``, a warning). The next link that can
be written tells how many there were (``gap``). No answer that was said to be logged is ever lost for it.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from pincite.errors import StoreError
from pincite.ports.stored import StoredAnswer
from pincite.ports.stores import Store

log = logging.getLogger(__name__)

NOT_LOGGED = "This answer could not be written to the log."

MOST_IDS = 100
"""Of answers that were not logged, as the link names them; all are counted."""


def context_of(made_with: Mapping[str, str], *, principal: str, client: str) -> str:
    """The JSON object of ``StoredAnswer.context``. Nothing that is empty stands in it.

    >>> context_of({"judge": "rules", "config_hash": "ab"}, principal="key-2", client="")
    '{"config_hash": "ab", "judge": "rules", "principal": "key-2"}'
    """
    found = {**made_with, "principal": principal, "client": client}
    return json.dumps({name: value for name, value in found.items() if value}, sort_keys=True)


@dataclass(slots=True)
class Unlogged:
    """Answers of this process that could not be logged, since the log could last be written. Threads may share it."""

    count: int = 0
    ids: list[str] = field(default_factory=list)
    first: str = ""
    last: str = ""
    why: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def save(self, store: Store, answer: StoredAnswer, *, at: str) -> bool:
        """Log an answer; whether that could be done. What could not be logged before is told behind it."""
        try:
            store.save_answer(answer, at=at)
        except StoreError as error:
            log.error("answer %s was given and not logged: %s", answer.answer_id, error.message)
            self._note(answer.answer_id, at, error.message)
            return False
        if self.count:
            self._tell(store, at)
        return True

    def _note(self, answer_id: str, at: str, why: str) -> None:
        with self._lock:
            self.first = self.first or at
            self.last, self.why = at, why
            self.count += 1
            if len(self.ids) < MOST_IDS:
                self.ids.append(answer_id)

    def _tell(self, store: Store, at: str) -> None:
        with self._lock:
            detail = {
                "count": self.count,
                "answer_ids": self.ids,
                "first": self.first,
                "last": self.last,
                "why": self.why[:200],
            }
            try:
                store.note_in_log("gap", at=at, detail=json.dumps(detail))
            except StoreError as error:
                log.error(
                    "that %d answers were not logged could not be logged: %s", self.count, error.message
                )
                return
            self.count, self.ids, self.first, self.last, self.why = 0, [], "", "", ""
