"""The environment of a third-party plugin author: a prefix with the installed packages, without the rest of the tree."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from daemon import BUILD


def run(*words, cwd=None, check=True, environment=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, timeout=900, env={**os.environ, **(environment or {})})
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


class Workshop:
    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="portico-workshop-"))
        self.prefix = self.root / "prefix"
        try:
            for component in ("daemon", "libportico", "sdk", "plugin-identity", "plugin-admin", "plugin-calendar", "plugin-crm", "plugin-launchpad", "plugin-social"):
                run("cmake", "--install", BUILD, "--prefix", self.prefix, "--component", component)
        except BaseException:
            self.close()
            raise
        self.porticoctl = self.prefix / "bin/porticoctl"
        # For cmake: where the SDK is, and the compiler's cache, which shall not see that the folders are new each time.
        self.environment = {"CMAKE_PREFIX_PATH": str(self.prefix), "CMAKE_GENERATOR": "Ninja", "CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        if shutil.which("ccache"):
            self.environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        # As the host was built: a plugin of another compiler is refused, and tests load the SDK's libraries with their sanitizers.
        cache = (BUILD / "CMakeCache.txt").read_text()
        self.environment["CXX"] = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)[1]
        if sanitizers := re.search(r"^PORTICO_SANITIZE:STRING=(.+)$", cache, re.MULTILINE):
            self.environment["CXXFLAGS"] = f"-fsanitize={sanitizers[1]}"

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)
