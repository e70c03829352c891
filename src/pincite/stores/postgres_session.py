"""Connections and transactions of the PostgreSQL store: one per thread at a time, out of a pool.

A reading transaction sees one generation. When its connection is lost it goes on in a new one, provided that the index is
still the same; a writing one is rolled back by the server. Where the connection is lost in the middle of a commit, the
store looks whether the write arrived: nothing is written twice, and nothing is called lost that is there.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import psycopg
import psycopg_pool
from pgvector.psycopg import register_vector
from psycopg import sql

from pincite.config.addresses import shown_address
from pincite.errors import StoreError
from pincite.stores.postgres_errors import Lost, check_url, is_passing, store_error
from pincite.stores.postgres_schema import REFRESHING, WRITER, WRITING, prepare

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
Row = tuple[Any, ...]

CONNECT_TIMEOUT_S = 10
WAIT_S = 1.0
"""How long a thread waits for a connection of the pool before it looks whether the server is there at all."""
LOCK_TIMEOUT_S = 60
"""How long a writer waits for another one: longer than any batch takes."""
TRIES = 3
"""Connections that are tried before a lost server is called lost."""
WRITES_KEPT = 1_000
"""Changes that other processes can catch up with one by one; after more they read everything again."""

_STATE = (
    "token", "generation", "last_write", "next_doc_key", "next_chunk_key", "next_term_id", "term_epoch", "embedder", "dimension"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    """The row of ``state``, as a transaction began with it."""

    token: str
    generation: int
    last_write: str
    next_doc_key: int
    next_chunk_key: int
    next_term_id: int
    term_epoch: int
    embedder: str | None
    dimension: int | None

    @property
    def index(self) -> tuple[str, int, str]:
        """What names this very content of the index. A server that lost its last changes and went on with others, as a
        standby does that takes over, may have the same generation, never the same name."""
        return self.token, self.generation, self.last_write


@dataclass(slots=True)
class Transaction:
    """The transaction of a thread."""

    db: Connection
    state: State
    is_writing: bool
    reader: int | None = None
    changed: bool = False
    ranges: list[tuple[int, int]] = field(default_factory=list)
    held: dict[str, Any] = field(default_factory=dict)

    def note(self, first_key: int, chunk_count: int) -> None:
        """Note that chunks came, went or got vectors, for processes that keep vectors in memory."""
        self.changed = True
        if chunk_count:
            self.ranges.append((first_key, first_key + chunk_count))


class Session:
    """A database of ours, open. May be shared between threads."""

    def __init__(self, url: str, schema: str, *, create: bool, pool_size: int, timeout_s: float) -> None:
        parts = check_url(url)
        self.where = shown_address(url)
        self.schema = schema
        self._arguments: dict[str, Any] = {
            "connect_timeout": CONNECT_TIMEOUT_S,
            "application_name": "pincite",
            "keepalives_idle": 30,
            # A server that vanished without a word: known after so many milliseconds.
            "tcp_user_timeout": int(1000 * max(timeout_s, CONNECT_TIMEOUT_S)),
            **parts,
            "client_encoding": "utf8",
        }
        db = self._connect()
        try:
            with self.errors():
                vector = prepare(db, schema, self.where, create=create)
        finally:
            db.close()
        self._begin = sql.SQL(
            "BEGIN {mode}; SET LOCAL search_path = {schema}, {vector}; SET LOCAL statement_timeout = {timeout}; "
            "SET LOCAL lock_timeout = {wait}; SET LOCAL idle_in_transaction_session_timeout = {idle}; "
        )
        self._names = {
            "schema": sql.Identifier(schema),
            "vector": sql.Identifier(vector),
            "timeout": sql.Literal(int(1000 * timeout_s)),
            "wait": sql.Literal(1000 * LOCK_TIMEOUT_S),
            "idle": sql.Literal(600_000),
        }
        self._state = f"SELECT {', '.join(_STATE)} FROM state"
        self._local = threading.local()
        # What the pool warns of becomes an error of ours when it matters; whoever configures logging gets it all the same.
        logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
        self._pool = psycopg_pool.ConnectionPool(
            kwargs={**self._arguments, "autocommit": True},
            min_size=0,
            max_size=pool_size,
            configure=register_vector,
            open=True,
            max_idle=300,
            reconnect_timeout=0,
            name="pincite",
        )
        self._patience_s = timeout_s

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _connect(self, doing: str = "") -> Connection:
        try:
            db: Connection = psycopg.connect(**self._arguments, autocommit=True)
        except psycopg.Error as error:
            raise store_error(error, self.where, doing) from error
        return db

    @contextmanager
    def errors(self, doing: str = "") -> Iterator[None]:
        """Turn PostgreSQL's errors into ``StoreError``."""
        try:
            yield
        except psycopg.Error as error:
            raise store_error(error, self.where, doing) from error

    # --- transactions ---

    @property
    def current(self) -> Transaction | None:
        """The transaction that this thread is in."""
        found: Transaction | None = getattr(self._local, "transaction", None)
        return found

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that only reads; inside another one, that one."""
        if self.current is not None:
            with self.errors():
                yield self.current
            return
        here = self._started(write=False)
        self._local.transaction = here
        try:
            with self.errors():
                yield here
        finally:
            self._local.transaction = None
            self._give_back(here.db)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """The one transaction that changes documents; inside another such one, that one."""
        if self.current is not None:
            assert self.current.is_writing, "no writing inside reading()"
            with self.errors("nothing was stored"):
                yield self.current
            return
        here = self._started(write=True)
        self._local.transaction = here
        try:
            with self.errors("nothing was stored"):
                yield here
            self._commit(here)
        finally:
            self._local.transaction = None
            self._give_back(here.db)

    def storing(self, work: Callable[[Connection], T], *, again: bool = True) -> T:
        """Do ``work``, which changes no documents, in the transaction that this thread writes in, or in one of its own.

        ``again``: it may be done twice, so when the connection is lost it is done once more.
        """
        if self.current is not None:
            assert self.current.is_writing, "no writing inside reading()"
            with self.errors("nothing was stored"):
                self._as_reader(self.current, WRITER)
                return work(self.current.db)
        for attempt in range(2):
            try:
                return self._stored(work)
            except Lost:
                if attempt or not again:
                    raise
        raise AssertionError("unreachable")

    def _stored(self, work: Callable[[Connection], T]) -> T:
        here = self._started(write=True, alone=False)
        try:
            with self.errors("nothing was stored"):
                self._as_reader(here, WRITER)
                found = work(here.db)
            with self.errors("whether it was stored is not known"):
                here.db.execute("COMMIT")
            return found
        finally:
            self._give_back(here.db)

    def rows(self, query: str, values: Sequence[Any] = (), *, top: int = WRITER) -> list[Row]:
        """The rows of a query in this thread's transaction, for a reader of rank ``top``."""
        return self.run(lambda db: db.execute(query, values, binary=True).fetchall(), top=top)

    def run(self, work: Callable[[Connection], T], *, top: int) -> T:
        """Do ``work`` in this thread's transaction; once more in a new one when the connection is lost while reading."""
        here = self.current
        assert here is not None, "a query outside of a transaction"
        try:
            self._as_reader(here, top)
            return work(here.db)
        except psycopg.Error as error:
            if here.is_writing or not is_passing(error):
                raise
            self._renew(here, error)
        self._as_reader(here, top)
        return work(here.db)

    def as_writer(self, here: Transaction) -> None:
        """Let what follows see and change everything."""
        self._as_reader(here, WRITER)

    def _as_reader(self, here: Transaction, top: int) -> None:
        if here.reader != top:
            here.db.execute("SELECT set_config('pincite.reader', %s, true)", (str(top),))
            here.reader = top

    def _renew(self, here: Transaction, error: psycopg.Error) -> None:
        """Go on reading in a new connection, if what it sees is the same."""
        lost = store_error(error, self.where)
        self._give_back(here.db)
        again = self._started(write=False)
        here.db, here.reader = again.db, None
        if again.state.index != here.state.index:
            raise Lost(
                "the connection was lost in the middle of a search, and the index has changed since",
                where=self.where,
                hint="ask again",
            ) from lost

    def _started(self, *, write: bool, alone: bool = True) -> Transaction:
        """A transaction, in a connection that answers."""
        mode = sql.SQL("ISOLATION LEVEL " + ("READ COMMITTED" if write else "REPEATABLE READ READ ONLY"))
        begin = self._begin.format(mode=mode, **self._names)
        for attempt in range(TRIES):
            db = self._taken("nothing was stored" if write else "")
            try:
                if write:
                    db.execute(begin, prepare=False)
                    if alone:
                        db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (WRITING, self.schema))
                    state = db.execute(self._state).fetchone()
                else:
                    found = db.execute(begin + sql.SQL(self._state), prepare=False)
                    while found.nextset():
                        pass
                    state = found.fetchone()
            except psycopg.Error as error:
                self._give_back(db)
                if attempt + 1 == TRIES or not is_passing(error):
                    raise store_error(error, self.where, "nothing was stored" if write else "") from error
                # After a restart of the server all connections of the pool are dead.
                with suppress(psycopg.Error, psycopg_pool.PoolTimeout):
                    self._pool.check()
                continue
            except BaseException:
                self._give_back(db)
                raise
            assert state is not None, "the index has no state"
            return Transaction(db, State(*state), write)
        raise AssertionError("unreachable")

    def _taken(self, doing: str) -> Connection:
        """A connection of the pool; when it has none, one of its own, so that what the server says is known."""
        until = time.monotonic() + self._patience_s
        while True:
            try:
                return self._pool.getconn(timeout=WAIT_S)
            except psycopg_pool.PoolTimeout:
                db = self._connect(doing)  # raises when the server is not there
                if self._pool.get_stats().get("pool_size", 0) < self._pool.max_size:
                    register_vector(db)
                    return db  # the pool has not noticed yet that the server is back
                db.close()
                if time.monotonic() > until:
                    raise StoreError(
                        f"all {self._pool.max_size} connections are busy",
                        where=self.where,
                        hint="raise [store] pool_size, or try again",
                    ) from None
            except psycopg_pool.PoolClosed:
                raise StoreError("the store is closed", where=self.where, hint="open it again") from None

    def _give_back(self, db: Connection) -> None:
        with suppress(psycopg.Error):
            if not db.closed:
                db.execute("ROLLBACK") if db.info.transaction_status else None
        with suppress(ValueError, psycopg.Error):  # not one of the pool's
            self._pool.putconn(db)
            return
        db.close()

    # --- committing ---

    def _commit(self, here: Transaction) -> None:
        write = uuid.uuid4().hex
        try:
            if here.changed:
                self._as_reader(here, WRITER)
                self._note(here, write)
        except psycopg.Error as error:
            raise store_error(error, self.where, "nothing was stored") from error
        try:
            here.db.execute("COMMIT")
        except psycopg.Error as error:
            if not is_passing(error):
                raise store_error(error, self.where, "nothing was stored") from error
            if here.changed:
                self._look(write, store_error(error, self.where))

    def _note(self, here: Transaction, write: str) -> None:
        state = replace(here.state, generation=here.state.generation + 1, last_write=write)
        changed = ", ".join(f"{name} = %s" for name in _STATE[1:])
        here.db.execute(
            f"UPDATE state SET {changed}",
            tuple(getattr(state, name) for name in _STATE[1:]),
        )
        here.db.execute(
            "INSERT INTO writes VALUES (%s, %s, %s, %s)",
            (state.generation, write, [first for first, _ in here.ranges], [end for _, end in here.ranges]),
        )
        here.db.execute("DELETE FROM writes WHERE generation <= %s", (state.generation - WRITES_KEPT,))

    def _look(self, write: str, error: StoreError) -> None:
        """Whether a write whose commit got no reply arrived. The writer's lock is free once it is over, either way."""
        try:
            here = self._started(write=True)
        except StoreError:
            raise StoreError(
                "the connection was lost while storing; whether it was stored is not known",
                where=self.where,
                hint="add the same again when the server is back: what is stored already stays as it is",
            ) from error
        try:
            there = here.db.execute("SELECT 1 FROM writes WHERE token = %s", (write,)).fetchone()
        finally:
            self._give_back(here.db)
        if there is None:
            raise StoreError(
                "the connection was lost; nothing was stored", where=self.where, hint=error.hint
            ) from error

    def outside(self, statement: sql.Composed) -> None:
        """Run a statement that cannot be part of a transaction, for as long as it takes."""
        db = self._connect()
        try:
            with self.errors():
                path = sql.SQL("SET search_path = {schema}, {vector}").format(**self._names)
                db.execute(path)
                db.execute(statement)
        finally:
            db.close()

    # --- one at a time ---

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Inside, this is the only refresh of the index, in whatever process. ``StoreError`` when there is another."""
        db = self._connect()
        try:
            with self.errors():
                row = db.execute(
                    "SELECT pg_try_advisory_lock(%s, hashtext(%s))", (REFRESHING, self.schema)
                ).fetchone()
            if row is None or not row[0]:
                raise StoreError(
                    "another process is refreshing the index",
                    where=self.where,
                    hint="wait until it has finished",
                )
            yield
        finally:
            db.close()
