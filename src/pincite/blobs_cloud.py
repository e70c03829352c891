"""Original bytes of documents in a bucket that speaks the protocol of S3, under the SHA-256 of what they are.

Credentials come from where the tools of AWS look for them (``AWS_ACCESS_KEY_ID``, ``AWS_PROFILE``, the role of the machine), never
from the settings.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from pincite.errors import ConfigError, StoreError, install_line

T = TypeVar("T")

MARK = "s3://"
CACHE_BYTES = 500_000_000
"""Of files that are kept here, so that pages of a PDF can be read from a path; the oldest go first."""
CONNECT_S, READ_S, TRIES = 5, 60, 3

_KEY = re.compile(r"[0-9a-f]{64}\Z")
_PLACE = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([^\s?#]*))?\Z")
_DENIED = (
    "403",
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "AllAccessDisabled",
)


class CloudBlobs:
    """See ``Blobs``. Any number of processes and machines may share it, of one store.

    Args:
        place: ``s3://bucket/prefix``.
        endpoint: Address of the server; that of AWS without one.

    Raises:
        ConfigError: The place cannot be one, or the extra is not installed.
    """

    def __init__(self, place: str, *, endpoint: str = "") -> None:
        match = _PLACE.match(place)
        if match is None:
            raise ConfigError(f"{place!r} is no place in a bucket", hint="write it as s3://bucket/prefix")
        try:
            import s3fs
        except ImportError as error:
            raise ConfigError(
                f"originals at {place} need the extra `cloud`, which is not installed",
                hint=install_line("cloud"),
            ) from error
        self.place = place.rstrip("/")
        self._bucket = match[1]
        self._root = "/".join(filter(None, (match[1], (match[2] or "").strip("/"))))
        # Nothing is remembered of listings: other machines write too.
        self._files: Any = s3fs.S3FileSystem(
            endpoint_url=endpoint or None,
            use_listings_cache=False,
            skip_instance_cache=True,
            config_kwargs={
                "connect_timeout": CONNECT_S,
                "read_timeout": READ_S,
                "retries": {"max_attempts": TRIES, "mode": "standard"},
            },
        )
        self._files.retries = 1  # of its own, beside those above
        self._cache: Path | None = None
        self._cached: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"CloudBlobs({self.place!r})"

    def put(self, data: bytes) -> str:
        """See ``Blobs.put``. An object is there whole or not at all."""
        key = hashlib.sha256(data).hexdigest()
        if self._size(key) != len(data) or self._read(key) != data:
            self._do("kept", lambda: self._files.pipe_file(self._object(key), data))
        return key

    def get(self, key: str) -> bytes | None:
        """See ``Blobs.get``."""
        data = self._read(key) if _KEY.match(key) else None
        if data is not None and hashlib.sha256(data).hexdigest() != key:
            raise StoreError(
                "the original of a document is damaged",
                where=f"{MARK}{self._object(key)}",
                hint="add the document again, or restore a backup",
            )
        return data

    def has(self, key: str) -> bool:
        """See ``Blobs.has``."""
        return bool(_KEY.match(key)) and self._size(key) is not None

    def path(self, key: str) -> Path | None:
        """A copy of the bytes here. It goes when copies of others take the room: open it at once."""
        if not _KEY.match(key):
            return None
        with self._lock:
            folder = self._folder()
            target = folder / key
            if key in self._cached and target.is_file():
                self._cached.move_to_end(key)
                return target
        data = self.get(key)
        if data is None:
            return None
        try:
            handle, name = tempfile.mkstemp(dir=folder)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(name, target)
        except OSError as error:
            raise StoreError(
                f"no copy of an original can be kept here: {error.strerror or error}",
                where=str(folder),
                hint="see that there is room on the disk",
            ) from error
        with self._lock:
            self._cached[key] = len(data)
            while sum(self._cached.values()) > CACHE_BYTES and len(self._cached) > 1:
                oldest, _ = self._cached.popitem(last=False)
                with suppress(OSError):
                    (folder / oldest).unlink()
        return target

    def remove(self, key: str) -> None:
        """See ``Blobs.remove``."""
        if self.has(key):
            self._do("removed", lambda: self._files.rm_file(self._object(key)))
        with self._lock:
            if self._cached.pop(key, None) is not None:
                with suppress(OSError):
                    (self._folder() / key).unlink(missing_ok=True)

    def all_keys(self) -> Iterator[str]:
        """See ``Blobs.all_keys``."""
        found = self._do("listed", lambda: self._files.find(self._root)) or ()
        names = (str(one).rpartition("/") for one in found)
        yield from sorted(
            name for folder, _, name in names if _KEY.match(name) and folder.endswith(f"/{name[:2]}")
        )

    def _folder(self) -> Path:
        """For copies, of this process alone; gone at its end."""
        if self._cache is None:
            self._cache = Path(tempfile.mkdtemp(prefix="pincite-originals-"))
            weakref.finalize(self, shutil.rmtree, self._cache, ignore_errors=True)
        return self._cache

    def _object(self, key: str) -> str:
        return f"{self._root}/{key[:2]}/{key}"

    def _size(self, key: str) -> int | None:
        found = self._do("found", lambda: self._files.info(self._object(key)))
        return None if found is None else int(found["size"])

    def _read(self, key: str) -> bytes | None:
        found = self._do("read", lambda: self._files.cat_file(self._object(key)))
        return None if found is None else bytes(found)

    def _do(self, what: str, call: Callable[[], T]) -> T | None:
        """The result; ``None`` when there is no such object. Every other failure is a ``StoreError``."""
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

        try:
            return call()
        except FileNotFoundError as error:
            if _code(error) != "NoSuchBucket" and self._has_bucket():
                return None
            reason, hint = f"there is no bucket {self._bucket!r}", "make it, or correct [store] blobs"
            cause: Exception = error
        except (PermissionError, NoCredentialsError) as error:
            reason, hint = (
                "access is denied",
                "see that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role, allow it",
            )
            cause = error
        except (OSError, BotoCoreError, ClientError) as error:
            denied = any(word in f"{_code(error)} {error}" for word in _DENIED)
            reason = (
                "access is denied"
                if denied
                else str(error).splitlines()[0][:200]
                if str(error)
                else type(error).__name__
            )
            hint = (
                "see that the credentials of AWS in the environment allow it"
                if denied
                else "see that the server can be reached ([store] blobs_endpoint) and try again; nothing stored before is lost"
            )
            cause = error
        raise StoreError(
            f"the originals of documents cannot be {what}: {reason}", where=self.place, hint=hint
        ) from cause

    def _has_bucket(self) -> bool:
        """A missing object and a missing bucket may look the same."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self._files.ls(self._bucket, detail=False)
        except FileNotFoundError as error:
            return _code(error) not in ("NoSuchBucket", "404", "")
        except (OSError, BotoCoreError, ClientError):  # perhaps listing is not allowed
            return True
        return True


def _code(error: BaseException) -> str:
    """The code that the server gave."""
    cause = error.__cause__
    response = getattr(cause, "response", None) or getattr(error, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""
