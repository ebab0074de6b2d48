"""Packages of npm for the black-box suites: installed below the build directory, as a lock file of the tree says."""

import pathlib
import shutil
import subprocess

from daemon import BUILD


def present():
    """Brings Node and npm where they are not."""
    if not shutil.which("npm"):
        subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", "nodejs", "npm"], check=True, stdout=subprocess.DEVNULL)


def installed(source, name):
    """The folder with what `source` (package.json, package-lock.json, flow.mjs) needs and has."""
    present()
    folder = pathlib.Path(BUILD) / name
    locked = folder / "package-lock.json"
    current = locked.exists() and locked.read_bytes() == (source / "package-lock.json").read_bytes() and (folder / "node_modules").is_dir()
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("package.json", "package-lock.json", "flow.mjs"):
        shutil.copy(source / file, folder)
    if not current:
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return folder
