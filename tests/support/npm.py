"""Packages of npm for the black-box suites: installed below the build directory, as a lock file of the tree says."""

import fcntl
import os
import pathlib
import shutil
import subprocess

from daemon import BUILD


def present():
    """Brings Node and npm where they are not."""
    if not shutil.which("npm"):
        # Another suite may install it at the same time.
        subprocess.run(["apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "-q", "--no-install-recommends", "nodejs", "npm"], check=True, stdout=subprocess.DEVNULL)


def copied(folder, *files):
    """Copies files into a folder that other suites may use at once: a Node that reads one finds it whole."""
    for file in files:
        part = folder / f".{file.name}.{os.getpid()}"
        shutil.copy(file, part)
        part.replace(folder / file.name)


def installed(source, name):
    """The folder with what `source` (package.json, package-lock.json, *.mjs) needs and has."""
    present()
    folder = pathlib.Path(BUILD) / name
    folder.mkdir(parents=True, exist_ok=True)
    # Several suites may need the same packages at once.
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        locked = folder / "package-lock.json"
        current = locked.exists() and locked.read_bytes() == (source / "package-lock.json").read_bytes() and (folder / "node_modules").is_dir()
        copied(folder, source / "package.json", source / "package-lock.json", *source.glob("*.mjs"))
        if not current:
            subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return folder
