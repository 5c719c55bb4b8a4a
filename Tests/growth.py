"""The memory, threads and descriptors of a process that must not grow. Imported by the checks of what runs for months."""
import os
import pathlib

NAMES = ("MiB", "threads", "descriptors")


def facts(pid):
    """Returns the resident memory in MiB, the number of threads, and the number of descriptors."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) // 1024, int(status["Threads"]), len(os.listdir(f"/proc/{pid}/fd"))


def growth(before, after, tolerances, when):
    """Returns a sentence for each fact that has grown by more than its tolerance. `when` says when `before` was."""
    return [
        f"{new} {name} at the end, {old} {when}"
        for name, old, new, tolerance in zip(NAMES, before, after, tolerances)
        if new > old + tolerance
    ]
