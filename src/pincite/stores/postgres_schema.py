"""The tables of the PostgreSQL store, row level security, and bringing a schema to this version.

Every table with something of a document in it has the rank of its level, and a policy that shows a row only to a session
whose ``pincite.reader`` is as high. A connection that sets no reader sees nothing; writers set ``WRITER``.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

from pincite.errors import StoreError, StoreMissing
from pincite.stores.levels import NOBODY

SCHEMA_VERSION = 1
"""In ``state``. A change of the tables or of what stands in them raises it, with a line in ``MIGRATIONS``."""

OLDEST_SERVER = 140_000
"""PostgreSQL 14: the oldest that is still looked after."""

OLDEST_VECTOR = (0, 7, 0)
"""pgvector: the first with ``halfvec``."""

WRITER = NOBODY
"""``pincite.reader`` of a transaction that writes: it sees everything."""

TABLES = """
CREATE TABLE state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL, token text NOT NULL, generation bigint NOT NULL, last_write text NOT NULL,
    next_doc_key bigint NOT NULL, next_chunk_key bigint NOT NULL, next_term_id bigint NOT NULL,
    term_epoch bigint NOT NULL, embedder text, dimension integer
);
CREATE TABLE writes (generation bigint PRIMARY KEY, token text NOT NULL, first_keys bigint[] NOT NULL, ends bigint[] NOT NULL);
CREATE TABLE documents (
    doc_key bigint PRIMARY KEY, doc_ref text COLLATE "C" NOT NULL UNIQUE, level smallint NOT NULL,
    first_key bigint NOT NULL, chunk_count integer NOT NULL, vector_count integer NOT NULL DEFAULT 0, added_at text NOT NULL,
    doc_id text COLLATE "C" NOT NULL, title text COLLATE "C", url text COLLATE "C", kind text COLLATE "C",
    format text COLLATE "C", access_level text COLLATE "C", owner text COLLATE "C", published_date text COLLATE "C",
    version text COLLATE "C", language text COLLATE "C", status text COLLATE "C", licence text COLLATE "C",
    content_hash text COLLATE "C", blob text COLLATE "C", defaulted text, origin text
);
CREATE INDEX documents_by_blob ON documents (blob) WHERE blob IS NOT NULL;
CREATE INDEX documents_by_first_key ON documents (first_key);
CREATE TABLE texts (
    doc_key bigint PRIMARY KEY, level smallint NOT NULL, text text NOT NULL, detail text NOT NULL, term_ids bytea NOT NULL
);
CREATE TABLE chunks (
    key bigint PRIMARY KEY, doc_key bigint NOT NULL, level smallint NOT NULL, chunk_ref text COLLATE "C" NOT NULL UNIQUE,
    chunk_id text, first integer NOT NULL, last integer NOT NULL, detail text NOT NULL
);
CREATE INDEX chunks_by_document ON chunks (doc_key);
CREATE TABLE numbers (doc_ref text COLLATE "C" PRIMARY KEY, next_number bigint NOT NULL);
CREATE TABLE terms (term text COLLATE "C" PRIMARY KEY, id bigint NOT NULL UNIQUE, word text);
CREATE TABLE postings (place bigint PRIMARY KEY, entries bytea NOT NULL) WITH (fillfactor = 80);
ALTER TABLE postings ALTER entries SET STORAGE EXTERNAL;
CREATE TABLE levels (level smallint PRIMARY KEY, chunk_count bigint NOT NULL, term_count bigint NOT NULL);
CREATE TABLE vectors (key bigint PRIMARY KEY, level smallint NOT NULL, embedding {vector}.halfvec)
    WITH (toast_tuple_target = 8160);
ALTER TABLE vectors ALTER embedding SET STORAGE EXTERNAL;
CREATE TABLE answers (
    answer_id text COLLATE "C" PRIMARY KEY, created_at text NOT NULL, level text NOT NULL, question text NOT NULL,
    status text NOT NULL, body text NOT NULL, context text NOT NULL, position bigint NOT NULL UNIQUE, rank smallint NOT NULL
);
CREATE TABLE log_head (one boolean PRIMARY KEY DEFAULT true CHECK (one), position bigint NOT NULL, link text NOT NULL, at text NOT NULL);
INSERT INTO log_head VALUES (true, 0, '', '');
CREATE TABLE log (
    position bigint PRIMARY KEY, kind text NOT NULL, subject text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL,
    level text NOT NULL, content text NOT NULL, detail text NOT NULL, previous text NOT NULL, link text NOT NULL
);
CREATE INDEX log_by_subject ON log (subject, position);
CREATE TABLE reviews (
    review_id text COLLATE "C" PRIMARY KEY, answer_id text COLLATE "C" NOT NULL, decided_at text COLLATE "C" NOT NULL,
    level text NOT NULL, decision text NOT NULL, reviewer text NOT NULL, citation_id text, sentence_index bigint,
    note text NOT NULL, position bigint NOT NULL UNIQUE, rank smallint NOT NULL
);
CREATE INDEX reviews_by_answer ON reviews (answer_id);
CREATE TABLE runs (
    run_id text COLLATE "C" PRIMARY KEY, created_at text COLLATE "C" NOT NULL, level text NOT NULL, body text NOT NULL,
    rank smallint NOT NULL
);
CREATE TABLE changes (doc_ref text COLLATE "C" PRIMARY KEY, doc_id text COLLATE "C" NOT NULL, generation bigint NOT NULL);
CREATE INDEX changes_by_generation ON changes (generation);
CREATE TABLE mentions (
    doc_ref text COLLATE "C" NOT NULL, answer_id text COLLATE "C" NOT NULL, content_hash text COLLATE "C" NOT NULL,
    PRIMARY KEY (doc_ref, answer_id, content_hash)
);
CREATE INDEX mentions_by_answer ON mentions (answer_id);
CREATE TABLE versions (
    doc_ref text COLLATE "C" NOT NULL, content_hash text COLLATE "C" NOT NULL, level smallint NOT NULL,
    replaced_at text NOT NULL, blob text COLLATE "C", document text NOT NULL, text text NOT NULL,
    PRIMARY KEY (doc_ref, content_hash)
);
CREATE INDEX versions_by_blob ON versions (blob) WHERE blob IS NOT NULL;
CREATE TABLE tombstones (
    doc_ref text COLLATE "C" PRIMARY KEY, doc_id text NOT NULL, level smallint NOT NULL, removed_at text NOT NULL, hashes text NOT NULL
);
CREATE TABLE feedback (
    feedback_id text COLLATE "C" PRIMARY KEY, answer_id text COLLATE "C" NOT NULL, given_at text COLLATE "C" NOT NULL,
    level text NOT NULL, reaction text NOT NULL, citation_id text, sentence_index bigint, note text NOT NULL, rank smallint NOT NULL
);
CREATE INDEX feedback_by_answer ON feedback (answer_id);
CREATE TABLE notes (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE originals (key text COLLATE "C" PRIMARY KEY, data bytea NOT NULL);
ALTER TABLE originals ALTER data SET STORAGE EXTERNAL;
CREATE FUNCTION reader() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT coalesce(nullif(pg_catalog.current_setting('pincite.reader', true), ''), '-1')::integer $$;
"""
"""As in ``sqlite_schema``: a chunk's key is its document's ``first_key`` plus its ordinal; keys, document keys and chunk
numbers are never used twice. ``…_ref``: see ``postgres_text.reference``. ``chunk_id`` and ``word`` are null where the reference says it.
``writes`` are the last changes: what each one did to which keys, and by which token it can be recognised."""

FENCED = {
    **dict.fromkeys(
        ("documents", "texts", "chunks", "levels", "vectors", "versions", "tombstones"),
        "level <= (SELECT reader())",
    ),
    **dict.fromkeys(("answers", "feedback", "reviews", "runs"), "rank <= (SELECT reader())"),
    "postings": "((place >> 21) & 7) <= (SELECT reader())",
    "terms": "(SELECT reader()) >= 7 OR EXISTS (SELECT 1 FROM postings "
    "WHERE place >= id << 24 AND place < (id << 24) + (((SELECT reader()) + 1)::bigint << 21))",
    **dict.fromkeys(("originals", "log", "log_head"), "(SELECT reader()) >= 0"),
    **dict.fromkeys(("numbers", "mentions", "changes", "notes"), "(SELECT reader()) >= 7"),
}
"""Who sees a row of a table. A word is seen where something that has it is; originals are for readers whom the store has
let see the document."""

MIGRATIONS: dict[int, str] = {}
"""Statements that bring a schema from the version before to this one; ``;`` at the end of a line parts them."""


def prepare(db: psycopg.Connection, schema: str, where: str, *, create: bool) -> str:
    """Make or migrate the schema; returns the schema that pgvector is in. ``db`` commits by itself.

    Raises:
        StoreError: Something is missing or too old, the schema is not ours or of a later version, or not there and
            ``create`` is false.
    """
    _check_server(db, where)
    version = _version(db, schema, where)
    if version is None and not create:
        raise StoreMissing(
            "there is no index yet", where=where, hint="add documents first: pincite add FOLDER"
        )
    vector = _vector_schema(db, where, create=version is None)
    if version == SCHEMA_VERSION:
        return vector
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (WRITING, schema))
        version = _version(db, schema, where)  # another process may have been faster
        if version is None:
            _create(db, schema, vector)
        elif version > SCHEMA_VERSION:
            raise StoreError(
                f"the index has schema {version}, this pincite reads {SCHEMA_VERSION}",
                where=where,
                hint="use the pincite that made it, or a newer one",
            )
        elif version < SCHEMA_VERSION:
            _migrate(db, schema, vector, version)
    return vector


WRITING, REFRESHING = 0x70696E63, 0x70696E64
"""First numbers of the advisory locks; the second is the hash of the schema's name."""


def _check_server(db: psycopg.Connection, where: str) -> None:
    if db.info.server_version < OLDEST_SERVER:
        raise StoreError(
            f"this is PostgreSQL {db.info.server_version // 10_000}, {OLDEST_SERVER // 10_000} or newer is needed",
            where=where,
            hint="move the database to a newer server",
        )
    row = db.execute("SELECT current_setting('server_encoding')").fetchone()
    if row is not None and row[0] != "UTF8":
        raise StoreError(
            f"the database has encoding {row[0]}",
            where=where,
            hint="create one that holds every language: createdb --encoding=UTF8 --template=template0 NAME",
        )


def _version(db: psycopg.Connection, schema: str, where: str) -> int | None:
    """The version of the schema; ``None`` when there is none of that name, or an empty one."""
    tables = db.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%s)) AND relkind = 'r'",
        (schema,),
    ).fetchall()
    if not tables:
        return None
    if not {("state",), ("documents",), ("postings",)} <= set(tables):
        raise StoreError(
            f"the schema {schema!r} was not made by pincite",
            where=where,
            hint="choose another: [store] schema",
        )
    row = db.execute(sql.SQL("SELECT version FROM {}.state").format(sql.Identifier(schema))).fetchone()
    if row is None:
        raise StoreError("the index is damaged: its state is missing", where=where, hint="restore a backup")
    return int(row[0])


def _vector_schema(db: psycopg.Connection, where: str, *, create: bool) -> str:
    find = "SELECT extversion, nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
    row = db.execute(find).fetchone()
    if row is None and create:
        try:
            db.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
            raise StoreError(
                "the server has no pgvector",
                where=where,
                hint="install it on the server (package postgresql-NN-pgvector), then: CREATE EXTENSION vector",
            ) from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise StoreError(
                "pgvector is not set up in this database, and the role may not do it",
                where=where,
                hint="let an administrator run, in this database: CREATE EXTENSION vector",
            ) from error
        except psycopg.errors.UniqueViolation:  # two at once
            pass
        row = db.execute(find).fetchone()
    if row is None:
        raise StoreError(
            "pgvector is not set up in this database",
            where=where,
            hint="let an administrator run, in this database: CREATE EXTENSION vector",
        )
    if tuple(int(part) for part in row[0].split(".")[:3]) < OLDEST_VECTOR:
        raise StoreError(
            f"pgvector {row[0]} is too old; {'.'.join(map(str, OLDEST_VECTOR))} or newer is needed",
            where=where,
            hint="install a newer one on the server, then: ALTER EXTENSION vector UPDATE",
        )
    return str(row[1])


def _create(db: psycopg.Connection, schema: str, vector: str) -> None:
    db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
    run(db, schema, vector, TABLES)
    for table, condition in FENCED.items():
        fence(db, table, condition)
    db.execute(
        "INSERT INTO state (version, token, generation, last_write, next_doc_key, next_chunk_key, next_term_id, term_epoch) "
        "VALUES (%s, gen_random_uuid()::text, 0, gen_random_uuid()::text, 1, 0, 1, 0)",
        (SCHEMA_VERSION,),
    )


def _migrate(db: psycopg.Connection, schema: str, vector: str, version: int) -> None:
    # A statement that changes rows changes those that the fence shows it: all of them.
    db.execute("SELECT set_config('pincite.reader', %s, true)", (str(WRITER),))
    for step in range(version + 1, SCHEMA_VERSION + 1):
        run(db, schema, vector, MIGRATIONS[step])
    for table, condition in FENCED.items():
        fence(db, table, condition)
    db.execute("UPDATE state SET version = %s", (SCHEMA_VERSION,))


def run(db: psycopg.Connection, schema: str, vector: str, statements: str) -> None:
    """Run statements of ours in a transaction, with the schema first on the path."""
    db.execute(
        sql.SQL("SET LOCAL search_path = {}, {}").format(sql.Identifier(schema), sql.Identifier(vector))
    )
    for statement in statements.split(";\n"):
        if statement.strip():
            db.execute(sql.SQL(statement).format(vector=sql.Identifier(vector)))


def fence(db: psycopg.Connection, table: str, condition: str) -> None:
    """Put a policy on a table that also binds its owner."""
    name = sql.Identifier(table)
    for statement in (
        "ALTER TABLE {} ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE {} FORCE ROW LEVEL SECURITY",
        "DROP POLICY IF EXISTS pincite_reader ON {}",
    ):
        db.execute(sql.SQL(statement).format(name))
    db.execute(sql.SQL("CREATE POLICY pincite_reader ON {} USING ({})").format(name, sql.SQL(condition)))


def warnings(db: psycopg.Connection) -> tuple[tuple[str, str], ...]:
    """See ``Store.warnings``."""
    row = db.execute(
        "SELECT rolsuper OR rolbypassrls, pg_is_in_recovery() FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    bypasses, is_standby = row or (False, False)
    found = []
    if bypasses:
        found.append(
            (
                "row level security does not bind the role: it is a superuser or has BYPASSRLS",
                "use a role of its own: docs/postgres.md",
            )
        )
    if is_standby:
        found.append(
            (
                "the server is a standby: questions are answered, nothing can be added",
                "set [store] url to the primary",
            )
        )
    return tuple(found)
