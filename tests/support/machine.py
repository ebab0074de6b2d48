"""A machine to follow the documentation on: an overlay file system, separate network and processes, Portico installed from its packages, and a stand-in for
systemd. Changes are not visible outside, ports are those of the pages, and the machine ends with the suite.

    apart()                       at the start of a suite: runs it again in namespaces of its own
    with Machine() as machine:    Portico runs there
        machine.run("porticoctl services")
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from daemon import BUILD, ROOT

MARK = "PORTICO_APART"
PARTS = ("daemon", "libportico", "sdk", "plugin-identity", "plugin-admin", "plugin-calendar", "plugin-crm", "plugin-launchpad", "plugin-social")
PLACES = [pathlib.Path(each) for each in ("/usr", "/etc", "/var", "/root", "/home", "/opt", "/tmp") if pathlib.Path(each).is_dir()]
STAND_IN = ROOT / "tests/support/systemd_stand_in.py"
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "USER": "root"}


# What a machine needs to be allowed.
POSSIBLE = """
mount -t tmpfs tmpfs /media
mkdir /media/changes /media/work /media/root
mount -t overlay overlay -o lowerdir=/,upperdir=/media/changes,workdir=/media/work /media/root
ip link set lo up
"""


def apart():
    """Returns in namespaces of our own. Where that is forbidden, ends the suite and says so: everything in it is about a machine of its own."""
    if os.environ.get(MARK) == "1":
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return
    words = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    tried = subprocess.run([*words, "sh", "-ec", POSSIBLE], capture_output=True, text=True)
    if tried.returncode != 0:
        print(f"skipped: the documentation's commands need namespaces of their own, which only root may have where it is allowed: {tried.stderr.strip()}")
        print("0 passed, 0 failed")
        sys.exit(0)
    os.environ[MARK] = "1"
    os.execvp("unshare", [*words, sys.executable, "-B", *sys.argv])


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Layer:
    """An overlay file system; changes stay in it."""

    _memory = None

    def __init__(self, *below):
        if Layer._memory is None:
            # Over a folder that nobody here needs, so that nothing is left outside.
            Layer._memory = next(each for each in map(pathlib.Path, ("/media", "/mnt", "/srv", "/opt")) if each not in (*ROOT.parents, *BUILD.parents))
            run("mount", "-t", "tmpfs", "tmpfs", Layer._memory)
        self.place = pathlib.Path(tempfile.mkdtemp(dir=Layer._memory))
        self.root = self.place / "root"
        self.changes = {}
        # An overlay shows one file system: what is on others gets one of its own.
        top = pathlib.Path("/")
        for folder in (top, *(each for each in (*PLACES, ROOT, BUILD) if each.stat().st_dev != top.stat().st_dev)):
            self.lay(folder, below)
        run("mount", "--rbind", "/dev", self.root / "dev")
        run("mount", "-t", "proc", "proc", self.root / "proc")

    def lay(self, folder, below):
        changes, work = (self.place / f"{kind}-{len(self.changes)}" for kind in ("changes", "work"))
        for made in (changes, work, self.path(folder)):
            made.mkdir(parents=True, exist_ok=True)
        lower = ":".join([*(str(each.changes[folder]) for each in reversed(below)), str(folder)])
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={changes},workdir={work}", self.path(folder))
        self.changes[folder] = changes

    def path(self, inside):
        return self.root / str(inside).lstrip("/")

    def close(self):
        for link in pathlib.Path("/proc").glob("[0-9]*/root"):
            try:
                inside = os.readlink(link) == str(self.root)
            except OSError:
                continue
            if inside:
                os.kill(int(link.parent.name), signal.SIGKILL)
        run("umount", "--recursive", "--lazy", self.root)
        shutil.rmtree(self.place, ignore_errors=True)


class Machine:
    _installed = None

    def __init__(self, start=True):
        if Machine._installed is None:
            Machine._installed = self.install()
        self.layer = Layer(Machine._installed)
        self.environment = dict(ENVIRONMENT)
        try:
            self.boot()
            if start:
                self.run("systemctl enable --now portico")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @staticmethod
    def install():
        """What the packages bring, and what their scripts do."""
        layer = Layer()
        into = ["chroot", layer.root, "env", "-i", *(f"{key}={value}" for key, value in ENVIRONMENT.items())]
        for part in PARTS:
            run(*into, "cmake", "--install", BUILD, "--prefix", "/usr", "--component", part, "--strip")
        if layer.path("/usr/etc/portico").exists():  # a tree that was configured for another place
            shutil.rmtree(layer.path("/etc/portico"), ignore_errors=True)
            shutil.move(layer.path("/usr/etc/portico"), layer.path("/etc/portico"))
        run(*into, "sh", ROOT / "packaging/debian/portico/postinst", "configure", "")
        for name in ("systemctl", "journalctl"):
            layer.path(f"/usr/bin/{name}").unlink(missing_ok=True)
            shutil.copy(STAND_IN, layer.path(f"/usr/bin/{name}"))
            layer.path(f"/usr/bin/{name}").chmod(0o755)
        return layer

    def path(self, inside):
        return self.layer.path(inside)

    def boot(self):
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", self.path("/run"))
        self.manager = subprocess.Popen(self.words("systemctl", "--serve"), stdout=subprocess.PIPE, text=True)
        if self.manager.stdout.readline() != "ready\n":
            raise RuntimeError("the stand-in for systemd does not start")

    def compiler(self):
        """Environment to build plugins: the same compiler as the host (a plugin of another compiler is rejected), and the compiler cache of the outside."""
        cache = (BUILD / "CMakeCache.txt").read_text()
        self.environment.update(CMAKE_GENERATOR="Ninja", CXX=re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)[1])
        if sanitizers := re.search(r"^PORTICO_SANITIZE:STRING=(.+)$", cache, re.MULTILINE):
            self.environment["CXXFLAGS"] = f"-fsanitize={sanitizers[1]}"
        if shutil.which("ccache"):
            # Over the machine's own, so that what is compiled once is kept.
            kept = pathlib.Path(run("ccache", "--get-config", "cache_dir").strip())
            kept.mkdir(parents=True, exist_ok=True)
            self.path("/root/.cache/ccache").mkdir(parents=True, exist_ok=True)
            run("mount", "--bind", kept, self.path("/root/.cache/ccache"))
            self.environment.update(CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_DIR="/root/.cache/ccache")

    def words(self, *words):
        return ["chroot", str(self.layer.root), "env", "-i", *(f"{key}={value}" for key, value in self.environment.items()), *map(str, words)]

    def run(self, script, check=True, cwd="/root"):
        """A script of bash; returns the completed process, its output in one."""
        done = subprocess.run(self.words("bash", "-c", f"cd {cwd}\n{script}"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=800)
        if check and done.returncode != 0:
            raise RuntimeError(f"{script} ended with {done.returncode}:\n{done.stdout}\n{self.journal()}")
        return done

    def journal(self):
        try:
            return self.path("/run/stand-in-journal/portico.service").read_text()
        except OSError:
            return ""

    def wait(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not in {seconds} s: {what}\n{self.journal()}")
            time.sleep(0.05)  # between two looks

    def close(self):
        self.layer.close()
        if hasattr(self, "manager"):
            self.manager.wait()
            self.manager.stdout.close()
