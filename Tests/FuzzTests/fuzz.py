#!/usr/bin/env python3
"""Runs fuzz targets under libFuzzer, one after another, and prints a line for each.

    fuzz.py [--seconds 60] [--target NAME] [--media FOLDER] [--output .build-fuzz/fuzz] PROGRAM

PROGRAM is the executable FuzzTests, built with PLAYHEAD_FUZZ=1 and libFuzzer (`make fuzz`). A target starts with the inputs in
`Inputs`, with small files of FOLDER if it reads media, and with what it found interesting before, which is kept in the output
folder. It ends early at the first finding: a trap, a violated rule, an error of the address sanitizer, more than 10 seconds for one
input, more than 1 GB of memory, or an allocation of more than 100 MB. Findings are written to the output folder, and make the exit
status 1.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
LIMITS = ["-timeout=10", "-rss_limit_mb=1024", "-malloc_limit_mb=100"]
# Far fewer than the code of the library has.
MINIMUM_COUNTERS = 10_000
# Larger fixtures leave time for few executions.
MEDIA_BYTES = 40_000


def targets(program):
    """Returns all targets: their names, the folders of their inputs, and the largest length of an input."""
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return [tuple(line.split()) for line in output.splitlines()]


def seeds(inputs, media, folder):
    """Returns the folders with the inputs that a target starts with. Fixtures are linked into a folder of their own."""
    result = [here / "Inputs" / inputs]
    if inputs == "media" and media:
        links = folder / "media"
        links.mkdir(exist_ok=True)
        for file in media.iterdir():
            link = links / file.name
            if file.is_file() and 0 < file.stat().st_size <= MEDIA_BYTES and not link.is_symlink():
                link.symlink_to(file.resolve())
        result.append(links)
    return result


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def cpu_seconds():
    """Returns the CPU time of all targets so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(program, name, inputs, length, options):
    """Runs a target. Returns the number of findings."""
    corpus, findings = options.output / "corpus" / name, options.output / "findings"
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    command = [program, f"-max_total_time={options.seconds}", f"-max_len={length}", *LIMITS]
    command += ["-print_final_stats=1", "-detect_leaks=0", f"-artifact_prefix={findings}/{name}-"]
    dictionary = here / "Dictionaries" / f"{inputs}.dict"
    if dictionary.exists():
        command.append(f"-dict={dictionary}")
    command += [corpus, *seeds(inputs, options.media, options.output)]
    environment = dict(
        os.environ,
        PLAYHEAD_FUZZ_TARGET=name,
        SWIFT_BACKTRACE="enable=no",
        # Fibers have stacks of their own.
        ASAN_OPTIONS="detect_stack_use_after_return=0:detect_leaks=0:quarantine_size_mb=32:allocator_may_return_null=1",
    )
    log = options.output / f"{name}.log"
    start = cpu_seconds()
    with log.open("w") as output:
        status = subprocess.run(list(map(str, command)), stdout=output, stderr=output, env=environment).returncode
    text = log.read_text(errors="replace")
    if number(r"\((\d+) inline 8-bit counters\)", text) < MINIMUM_COUNTERS:
        sys.exit(f"{program} is not instrumented: inputs would be changed blindly ({log})")
    new = sorted(path.name for path in set(findings.iterdir()) - before)
    count = max(len(new), status != 0)
    executions = number(r"number_of_executed_units: (\d+)", text)
    rate = number(r"average_exec_per_sec: *(\d+)", text)
    coverage = number(r" cov: (\d+)", text)
    seconds = cpu_seconds() - start
    print(f"{name:16}{seconds:7.1f} s CPU{executions:12} executions{rate:8}/s{coverage:8} edges{count:4} findings", flush=True)
    for file in new:
        print(f"    {findings / file}")
    if count and not new:
        print(f"    {log}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--target", default="")
    parser.add_argument("--media", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(".build-fuzz/fuzz"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    program = options.program.resolve()
    known = targets(program)
    chosen = [target for target in known if options.target in ("", target[0])]
    if not chosen:
        parser.error(f"no target {options.target}; there are {', '.join(target[0] for target in known)}")
    findings = sum(run(program, *target, options) for target in chosen)
    sys.exit(1 if findings else 0)


main()
