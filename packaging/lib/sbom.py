"""Writes what the packages of a directory are made of, as CycloneDX 1.5: sbom.py DIRECTORY

Libraries that are linked come from the packages' dependencies, those that are compiled in (headers, static libraries) from
build-packages.txt; versions are those of the machine that built them. What is in the bundles of pages comes from the licenses.txt beside them. Without a time of its own: the same packages give the same file."""

import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent.parent


def field(package, name):
    return subprocess.run(["dpkg-deb", "-f", package, name], capture_output=True, text=True, check=True).stdout.strip()


def installed(name):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\t${Depends}", name], capture_output=True, text=True)
    return found.stdout.split("\t") if found.returncode == 0 else None


def names(depends):
    """The first alternative of each dependency."""
    return [re.split(r"[ (|:]", each.strip())[0] for each in depends.split(",") if each.strip()]


def library(name, version, scope):
    purl = f"pkg:deb/debian/{name}@{version}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "scope": scope}


def compiled_in(linked):
    for line in (HERE / "build-packages.txt").read_text(encoding="utf-8").splitlines():
        alternatives = [name for name in line.split("#")[0].split(" ")[0].split("|") if name.endswith("-dev")]
        for name in alternatives:
            facts = installed(name)
            if facts and not any(each in linked for each in names(facts[1])):
                yield library(name, facts[0], "required")
                break


def bundled(path):
    """The parts of npm in the pages of a package, by what licenses.txt beside them says."""
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tar)) as files:
        for member in files:
            if not member.name.endswith("/web/licenses.txt"):
                continue
            text = files.extractfile(member).read().decode()
            for name, version, licence in re.findall(r"(?:\A|^-{80}\n)(\S+) (\S+) \((.+)\)$", text, re.MULTILINE):
                purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
                yield {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "scope": "required", "licenses": [{"expression": licence.strip("()")}]}


def package(path, own):
    content = path.read_bytes()
    return {
        "type": "application", "bom-ref": path.name, "name": own, "version": field(path, "Version"), "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}],
    }


def main():
    directory = pathlib.Path(sys.argv[1])
    paths = {field(path, "Package"): path for path in sorted(directory.glob("*.deb"))}
    depends = {own: [each for each in names(field(path, "Depends")) if not each.startswith("portico-plugin-abi")] for own, path in paths.items()}
    linked = sorted({each for own in depends for each in depends[own] if each not in paths})
    facts = {each: installed(each) for each in linked}
    libraries = {each: library(each, fact[0], "required") for each, fact in facts.items() if fact}
    static = list(compiled_in(set(linked)))
    pages = {own: {each["bom-ref"]: each for each in bundled(path)} for own, path in paths.items()}
    npm = {ref: each for parts in pages.values() for ref, each in parts.items()}
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "name": "portico", "version": field(paths["portico"], "Version")}},
        "components": [package(path, own) for own, path in paths.items()] + list(libraries.values()) + static
        + [npm[ref] for ref in sorted(npm)],
        "dependencies": [
            {"ref": path.name, "dependsOn": sorted({libraries[each]["bom-ref"] for each in depends[own] if each in libraries}
                                                   | {paths[each].name for each in depends[own] if each in paths} | set(pages[own]))}
            for own, path in paths.items()
        ],
    }
    (directory / "portico.cdx.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
