#!/usr/bin/python3
"""Runs a program on a PostgreSQL of its own: with_postgres.py VARIABLE PROGRAM...; the variable holds the URL of an empty database. Afterwards it looks for
schemas that stayed, and for statements that joined rows of different organizations (tenant_joins.py)."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sql_texts  # noqa: E402
import tenant_joins  # noqa: E402
from blackbox import end_in_time, print_processor_time  # noqa: E402
from daemon import ROOT, PostgreSQL  # noqa: E402

# What a crash of the machine would take matters to no test; waiting for the disk is most of their time. The library keeps the text of each statement.
OPTIONS = "-c fsync=off -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.max=10000 -c pg_stat_statements.track_utility=off"


def joined_apart(texts):
    """(text, groups) of those that join rows of different organizations."""
    files = [file for service in tenant_joins.services_with_tenants(ROOT) for file in sorted(ROOT.glob(f"migrations/{service}/*.sql"))]
    tables = sql_texts.tenant_tables(files)
    for text in sorted({" ".join(each.split()) for each in texts}):
        groups = tenant_joins.joined_apart(text, tables)
        if groups:
            yield text, groups


def main():
    end_in_time()
    variable, *program = sys.argv[1:]
    with PostgreSQL(OPTIONS) as server:
        url = server.url.replace("postgres@", f"postgres:{server.password}@", 1)
        status = subprocess.run(program, env={**os.environ, variable: url}).returncode

        def rows(query):
            done = subprocess.run(["psql", "-AtqXz0", url, "-c", query], capture_output=True, text=True, check=True).stdout
            return [row for row in done.split("\0") if row]

        schemas = rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'test\\_%'")
        subprocess.run(["psql", "-qX", url, "-c", "CREATE EXTENSION pg_stat_statements"], check=True)
        statements = rows("SELECT query FROM pg_stat_statements")
    if status == 0 and schemas:
        print("schemas of tests that stayed in the database:", *schemas)
        status = 1
    print_processor_time()
    apart = list(joined_apart(statements))
    for text, groups in apart:
        print(f"a statement joins rows of different organizations, nothing ties {groups}: {text}")
    if status == 0 and apart:
        status = 1
    if "PORTICO_SHOW_STATEMENTS" in os.environ:
        print(f"{len(statements)} different statements")
    return status


if __name__ == "__main__":
    sys.exit(main())
