"""Original bytes of documents, kept under the SHA-256 of what they are: in a folder, or in memory.

Nothing here asks who reads: whoever shows bytes has looked up the document for its reader first.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pincite.errors import StoreError

_KEY = re.compile(r"[0-9a-f]{64}\Z")
_HALF_WRITTEN = ".part"


def blob_key(data: bytes) -> str:
    """The key of some bytes: their SHA-256 in hexadecimal.

    >>> blob_key(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(data).hexdigest()


class Blobs:
    """Bytes in files of ``folder``, which is made with the first of them. Any number of processes may share it.

    Args:
        folder: Need not be there yet.
        mode: Permissions of the files, such as those of the database beside them; the owner's alone by default.
    """

    def __init__(self, folder: Path, *, mode: int = 0o600) -> None:
        self.folder = Path(folder)
        self._mode = mode & 0o666

    def __repr__(self) -> str:
        return f"Blobs({str(self.folder)!r})"

    def put(self, data: bytes) -> str:
        """Keep ``data`` and return its key. It is on the disk, whole, when this returns; twice is as good as once.

        Raises:
            StoreError: If it cannot be written.
        """
        key = blob_key(data)
        target = self._file(key)
        try:
            if _holds(target, data):
                return key
            target.parent.mkdir(parents=True, exist_ok=True)
            # A name of its own, then the right name at once: nobody ever sees half of it.
            handle, name = tempfile.mkstemp(suffix=_HALF_WRITTEN, dir=target.parent)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
                os.chmod(name, self._mode)
                os.replace(name, target)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
            _sync_folder(target.parent)
        except OSError as error:
            raise StoreError(
                f"the original of a document cannot be kept: {error.strerror or error}",
                where=str(target),
                hint="make the folder writable and see that there is room on the disk",
            ) from error
        return key

    def get(self, key: str) -> bytes | None:
        """The bytes of that key; ``None`` when there are none.

        Raises:
            StoreError: If they cannot be read, or are not those that were kept.
        """
        if not _KEY.match(key):
            return None
        target = self._file(key)
        try:
            data = target.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(
                f"the original of a document cannot be read: {error.strerror or error}",
                where=str(target),
                hint="make the file readable, or add the document again",
            ) from error
        if blob_key(data) != key:
            raise StoreError(
                "the original of a document is damaged",
                where=str(target),
                hint="add the document again, or restore a backup",
            )
        return data

    def has(self, key: str) -> bool:
        """Whether there are bytes of that key. Their content is not checked."""
        return self.path(key) is not None

    def path(self, key: str) -> Path | None:
        """The file with the bytes of that key; ``None`` when there is none. Its content is not checked."""
        if not _KEY.match(key):
            return None
        target = self._file(key)
        return target if target.is_file() else None

    def remove(self, key: str) -> None:
        """Let go of the bytes of that key, if they are there."""
        if not _KEY.match(key):
            return
        try:
            self._file(key).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"the original of a document cannot be removed: {error.strerror or error}",
                where=str(self._file(key)),
                hint="make the folder writable; the next removal or pincite refresh tries again",
            ) from error

    def all_keys(self) -> Iterator[str]:
        """All keys, sorted."""
        for file in sorted(self.folder.glob("[0-9a-f][0-9a-f]/*")):
            if _KEY.match(file.name):
                yield file.name

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / key


class MemoryBlobs:
    """``Blobs`` that forgets everything when it ends. There is no file: ``path`` is ``None``."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        """See ``Blobs.put``."""
        key = blob_key(data)
        self._data[key] = data
        return key

    def get(self, key: str) -> bytes | None:
        """See ``Blobs.get``."""
        return self._data.get(key)

    def has(self, key: str) -> bool:
        """See ``Blobs.has``."""
        return key in self._data

    def path(self, key: str) -> Path | None:
        """``None``."""
        return None

    def remove(self, key: str) -> None:
        """See ``Blobs.remove``."""
        self._data.pop(key, None)

    def all_keys(self) -> Iterator[str]:
        """See ``Blobs.all_keys``."""
        yield from sorted(self._data)


def _holds(file: Path, data: bytes) -> bool:
    """Whether the file is just that. A damaged one is written again."""
    try:
        return file.stat().st_size == len(data) and file.read_bytes() == data
    except FileNotFoundError:
        return False


def _sync_folder(folder: Path) -> None:
    """Make a new name last through a power cut. Windows cannot open a folder, and needs not."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
