#!/bin/sh
# Run once by the image of PostgreSQL, in an empty database: a role that is no administrator, and its database with pgvector.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$PINCITE_DB_PASSWORD" --username postgres <<'SQL'
CREATE ROLE pincite LOGIN PASSWORD :'password';
CREATE DATABASE pincite OWNER pincite;
\connect pincite
CREATE EXTENSION vector;
SQL
