#!/usr/bin/env python3
"""Prints CHANGELOG.md in Debian's format.

usage: changelog.py VERSION SUITE MAINTAINER SECONDS. VERSION is the version of the package, which the newest section gets, and SECONDS is the date of that
section, in seconds since 1970.
"""
import datetime
import email.utils
import pathlib
import re
import sys
import textwrap

CHANGELOG = pathlib.Path(__file__).resolve().parent.parent.parent / "CHANGELOG.md"


def paragraph(text):
    """Returns lines of a list item, with the text of links alone."""
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", " ".join(text.split()))
    return textwrap.wrap(text, 78, initial_indent="  * ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def changes(body):
    """Returns the lines of a section. `### Added` and `**Network**` become `[ Added: Network ]`."""
    lines, kind, topic, last = [], "", "", None
    for block in re.split(r"\n(?=- |#|\*\*)|\n\n", body):
        if block.startswith("### "):
            kind, topic = block[4:].strip(), ""
        elif block.startswith("**"):
            topic = ": " + block.strip("*\n ")
        elif block.startswith("- "):
            heading = f"  [ {kind}{topic} ]"
            if heading != last:
                lines += [""] * bool(lines) + [heading]
                last = heading
            lines += paragraph(block[2:])
        elif block.strip():
            sys.exit(f"CHANGELOG.md: neither a heading nor a list item: {block.strip().splitlines()[0]}")
    return lines


def main():
    version, suite, maintainer, seconds = sys.argv[1:]
    date = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    is_first = True
    for section in re.split(r"^## ", CHANGELOG.read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        release = re.fullmatch(r"\[Unreleased\]|\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", title.strip())
        if not release:
            sys.exit(f"CHANGELOG.md: not the heading of a release: {title}")
        lines = changes(body)
        if not lines and not release[1] and "~dev" in version:
            lines = ["  * No changes since the last release."]
        if not lines:
            continue
        if not is_first:
            version, date = release[1], datetime.datetime.fromisoformat(release[2] + "T00:00:00+00:00")
            print()
        print(f"vplay ({version}) {suite}; urgency=medium\n")
        print("\n".join(lines))
        print(f"\n -- {maintainer}  {email.utils.format_datetime(date)}")
        is_first = False


main()
