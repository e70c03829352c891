"""What a model is opened with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pincite.types import Usage

TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Settings of one model.

    Args:
        name: As the server calls it.
        base_url: Of the server; the provider's own without one.
        api_key: From the environment, never from a file; not part of the repr.
        key_variable: Where the key was looked for, for errors.
        temperature: 0 for the same answer each time.
        max_retries: How often a call that failed for the moment is made again.
        max_reply_tokens: Longest reply.
        timeout_s: For a call with all its retries.
        read_timeout_s: Without a byte from the server.
        price_in, price_out: Of a million tokens; 0 when nobody set one.
        where: Place of the setting, for errors.
        clock, sleep: Time, in seconds.
    """

    name: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    key_variable: str = ""
    temperature: float = 0.0
    max_retries: int = 2
    max_reply_tokens: int = 4096
    timeout_s: float = 300.0
    read_timeout_s: float = 120.0
    price_in: float = 0.0
    price_out: float = 0.0
    where: str = ""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def usage(self, input_tokens: object, output_tokens: object) -> Usage | None:
        """What a call used, from what the server reports; ``None`` when it reports nothing."""
        read, written = _count(input_tokens), _count(output_tokens)
        if read is None and written is None:
            return None
        cost = None
        if self.price_in or self.price_out:
            total = (read or 0) * self.price_in + (written or 0) * self.price_out
            cost = total / TOKENS_PER_PRICE
        return Usage(read, written, cost)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
