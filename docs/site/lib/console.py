"""What a ```console block shows: commands behind `$ ` (anybody) or `# ` (root), and below each what it prints."""
import dataclasses


@dataclasses.dataclass
class Entry:
    prompt: str
    #: as it is typed; lines that end in a backslash go on
    command: str
    #: lines; one that is `…` stands for any number of lines, and `…` in a line for anything
    output: list


def entries(text):
    """The entries of a block in their order. @throws ValueError for lines before the first command"""
    found = []
    unfinished = False
    for line in text.splitlines():
        if unfinished:
            found[-1].command += "\n" + line
        elif line[:2] in ("$ ", "# "):
            found.append(Entry(line[0], line[2:], []))
        elif not found:
            raise ValueError(f"a console block begins with a command behind '$ ' or '# ', not with: {line}")
        else:
            found[-1].output.append(line)
        unfinished = line.endswith("\\") and (unfinished or line[:2] in ("$ ", "# "))
    return found
