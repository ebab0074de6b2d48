#!/usr/bin/env python3
"""Compares the kinds of audit entries that identity's tests have caused with tests/identity/audit-kinds.txt.

usage: audit_kinds.py SEEN [--update]    SEEN: the file that PORTICO_AUDIT_KINDS named while identity_tests ran
"""
import pathlib
import sys

LIST = pathlib.Path(__file__).with_name("audit-kinds.txt")


def main() -> int:
    seen = set(pathlib.Path(sys.argv[1]).read_text().splitlines())
    if "--update" in sys.argv:
        LIST.write_text("".join(kind + "\n" for kind in sorted(seen)))
        return 0
    listed = set(LIST.read_text().splitlines())
    for kind in sorted(seen - listed):
        print(f"not in {LIST.name}: {kind}")
    for kind in sorted(listed - seen):
        print(f"no test causes it any more: {kind}")
    print(f"{len(seen)} kinds")
    return 0 if seen == listed else 1


if __name__ == "__main__":
    sys.exit(main())
