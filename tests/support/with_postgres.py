#!/usr/bin/python3
"""Runs a program on a PostgreSQL of its own: with_postgres.py VARIABLE PROGRAM...; the variable holds the URL of an empty database."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from daemon import PostgreSQL  # noqa: E402

variable, *program = sys.argv[1:]
# What a crash of the machine would take matters to no test; waiting for the disk is most of their time.
with PostgreSQL("-c fsync=off") as server:
    url = server.url.replace("postgres@", f"postgres:{server.password}@", 1)
    status = subprocess.run(program, env={**os.environ, variable: url}).returncode
    left = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'test\\_%'"
    schemas = subprocess.run(["psql", "-AtqX", url, "-c", left], capture_output=True, text=True, check=True).stdout.split()
if status == 0 and schemas:
    print("schemas of tests that stayed in the database:", *schemas)
    status = 1
sys.exit(status)
