"""The image helper of social: part `images` of tests/benchmarks/run. Makes a thumbnail and a copy for a network from a photo of 12 megapixels, beside
vipsthumbnail, which is started once for each. Prints results with their goals, and never fails."""
import os, pathlib, statistics, subprocess, time

from measure import SERVER_CORE, say

COPIES = ["edge=512,bytes=200000,types=image/jpeg+image/webp", "edge=2048,bytes=2000000,types=image/jpeg+image/png"]
ROUNDS = 7


def photo(folder):
    """A JPEG of 4032 x 3024: blurred noise, which compresses as a photo does."""
    small, large, file = folder / "small.v", folder / "large.v", folder / "photo.jpg"
    for words in (["gaussnoise", small, "504", "378", "--mean", "128", "--sigma", "60"], ["resize", small, large, "8"]):
        subprocess.run(["vips", *map(str, words)], check=True)
    bands = folder / "bands.v"
    subprocess.run(["vips", "bandjoin", f"{large} {large} {large}", str(bands)], check=True)
    subprocess.run(["vips", "cast", str(bands), str(folder / "byte.v"), "uchar"], check=True)
    subprocess.run(["vips", "copy", str(folder / "byte.v"), f"{file}[Q=92]", "--interpretation", "srgb"], check=True)
    return file


def run(words, files=()):
    """Seconds and MiB of one process; `files` become its descriptors from 3 on."""
    began = time.perf_counter()
    process = os.fork()
    if process == 0:
        held = [os.dup(each) for each in files]
        high = [os.dup2(each, 100 + number, inheritable=True) for number, each in enumerate(held)]
        for number, each in enumerate(high):
            os.dup2(each, 3 + number, inheritable=True)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1, inheritable=True)
        os.sched_setaffinity(0, {int(SERVER_CORE)})
        os.execv(words[0], words)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        raise SystemExit(f"{words[0]} ended with {status}")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def bench(build, folder, report):
    file = photo(folder)
    helper = str(build / "lib/portico/plugins/social/helpers/images")
    samples = {"helper": [], "vipsthumbnail": []}
    for _ in range(ROUNDS):
        files = [os.open(file, os.O_RDONLY), *(os.open(folder / f"copy-{number}", os.O_RDWR | os.O_CREAT | os.O_TRUNC) for number in range(2))]
        samples["helper"].append(run([helper, *COPIES], files))
        for each in files:
            os.close(each)
        vips = [run(["/usr/bin/vipsthumbnail", str(file), "-s", size, "-o", str(folder / "vips.jpg")]) for size in ("512", "2048")]
        samples["vipsthumbnail"].append((sum(seconds for seconds, _ in vips), max(memory for _, memory in vips)))
    medians = {name: (statistics.median(seconds for seconds, _ in taken), max(memory for _, memory in taken)) for name, taken in samples.items()}
    ratio = medians["helper"][0] / medians["vipsthumbnail"][0]
    say(f"\n## Thumbnail and copy of a photo of 12 megapixels ({file.stat().st_size / 1e6:.1f} MB)")
    for name, (seconds, memory) in medians.items():
        say(f"{name:28}{seconds * 1000:10.0f} ms{memory:10.0f} MiB at most")
    say(f"ratio {ratio:.2f} (goal: at most 3), memory {medians['helper'][1]:.0f} MiB (goal: at most 200)")
    report["images"] = {"ratio": ratio, "helper": medians["helper"], "vipsthumbnail": medians["vipsthumbnail"], "sizes": [pathlib.Path(folder / f"copy-{n}").stat().st_size for n in range(2)]}
