#!/usr/bin/env bash
# check-deb.sh SUITE PACKAGE: installs a package in a minimal Debian without a toolchain, uses the command, and removes it. Checks
# the package with lintian of that Debian. Needs root, debootstrap and ffmpeg.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source docs/debian/chroots.sh

suite=$1
package=$(realpath "$2")
clip=media-fixtures/generated/clip-h264-aac.mp4
faults=0
fault() { echo "check-deb: $*" >&2; faults=1; }
[ -e "$clip" ] || media-fixtures/make.sh

# ------------------------------------------------------------------------------------------------- lintian

prepare "$suite" lint lintian
mkdir -p "$root/check"
cp "$package" "$root/check/vplay.deb"
inside "$root" lintian --allow-root --fail-on error,warning --display-level '>=warning' /check/vplay.deb || fault "lintian reports faults"

# ------------------------------------------------------------------------------------------------- installation

prepare_with "$suite" bare "$package"
cp "$clip" "$root/check/clip.mp4"
vplay() { inside "$root" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent vplay "$@"; }
# The names of all files but those that apt and dpkg keep about their own work.
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./check \) -prune -o -print) | LC_ALL=C sort; }
files >"$root/check/installed"

# ------------------------------------------------------------------------------------------------- use

version=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/PlayheadCore/PlayheadVersion.swift)
[[ $(vplay --version) == *"$version"* ]] || fault "--version prints $(vplay --version)"
[[ $(vplay --help) == *USAGE* ]] || fault "--help prints no usage"
[[ $(vplay probe /check/clip.mp4) == *h264* ]] || fault "probe names no codec: $(vplay probe /check/clip.mp4 2>&1)"
vplay --video null --audio none --untimed /check/clip.mp4 || fault "the clip does not play"

# The decoded frames are those of ffmpeg on this machine, whatever its version: H.264 is decoded exactly.
hashes() { grep -v '^#' | sed 's/.*, *//'; }
expected=$(ffmpeg -v error -i "$clip" -map 0:v:0 -fps_mode passthrough -f framemd5 - | hashes)
[ "$(vplay --untimed --audio none --video framemd5:- /check/clip.mp4 | hashes)" = "$expected" ] || fault "the frames differ from those of ffmpeg"
[ "$(vplay snapshot /check/clip.mp4 --at 0.5 -o - 2>/dev/null | head -c 8 | od -An -tx1)" = ' 89 50 4e 47 0d 0a 1a 0a' ] || fault "snapshot writes no PNG file"

# Completions, where each shell looks for them.
offered=$(inside "$root" bash -c 'compopt() { :; }
    source /usr/share/bash-completion/completions/vplay
    COMP_WORDS=(vplay --lo) COMP_CWORD=1 COMP_LINE="vplay --lo" COMP_POINT=10
    $(complete -p vplay | sed "s/.*-F \([^ ]*\) .*/\1/") vplay --lo vplay
    printf "%s" "${COMPREPLY[*]}"')
[ "$offered" = --loop ] || fault "bash offers '$offered' for --lo"
for file in zsh/vendor-completions/_vplay fish/vendor_completions.d/vplay.fish man/man1/vplay.1.gz doc/vplay/copyright doc/vplay/changelog.gz; do
    [ -s "$root/usr/share/$file" ] || fault "/usr/share/$file is missing"
done
[ -z "$(inside "$root" dpkg --verify vplay)" ] || fault "files differ from their checksums"

# ------------------------------------------------------------------------------------------------- removal

owned=$(inside "$root" dpkg -L vplay)
inside "$root" dpkg --remove vplay >"$root.log" 2>&1 || fault "the package cannot be removed: $(cat "$root.log")"
inside "$root" dpkg --purge vplay >"$root.log" 2>&1 || fault "the package cannot be purged: $(cat "$root.log")"
files >"$root/check/purged"
added=$(LC_ALL=C comm -13 "$root/check/installed" "$root/check/purged")
[ -z "$added" ] || fault "after the package was purged there are new files: $added"
left=$(inside "$root" find / -xdev -path /check -prune -o -path /proc -prune -o -name '*vplay*' -print | grep -v -e ^/var/lib/apt -e ^/var/cache || true)
[ -z "$left" ] || fault "after the package was purged there still are: $left"
for file in $owned; do
    [ ! -f "$root$file" ] || fault "$file was not removed"
done

# ------------------------------------------------------------------------------------------------- what is opened at run time

# The packages that the package recommends and suggests contain the libraries that the command opens, by these names.
inside "$root" apt-get -qq -o Dpkg::Use-Pty=0 install -y /check/vplay.deb >"$root.log" 2>&1 || fault "the recommended packages cannot be installed"
for field in Recommends Suggests; do
    for choice in $(dpkg-deb -f "$package" "$field" | sed -e 's/ *| */|/g' -e 's/,//g'); do
        found=
        for name in ${choice//|/ }; do
            if add "$root" "$name" >>"$root.log" 2>&1; then found=$name; break; fi
        done
        [ -n "$found" ] || fault "$field: none of $choice exists"
    done
done
libraries=$(inside "$root" ldconfig -p)
for library in $(grep -rhoE '"lib[A-Za-z0-9-]+(-[0-9.]+)?\.so\.[0-9]+"' Sources | tr -d '"' | sort -u); do
    [[ $libraries == *$library* ]] || fault "no package contains $library"
done
for library in libavfilter libavdevice; do
    number=$(dpkg-deb -f "$package" Recommends Suggests | grep -oE "$library[0-9]+" | grep -oE '[0-9]+$')
    [[ $libraries == *$library.so.$number* ]] || fault "no package contains $library.so.$number"
done

# A URL, by libcurl of the system. The first line of the server names the port that the system chose.
exec {lines}< <(exec python3 -u -m http.server 0 --bind 127.0.0.1 --directory "${clip%/*}" 2>/dev/null)
server=$!
trap 'kill "$server"; rm -rf "$root"' EXIT
port=none
if read -r -t 60 line <&"$lines" && [[ $line =~ \ port\ ([0-9]+)\  ]]; then port=${BASH_REMATCH[1]}; fi
[[ $(vplay probe "http://127.0.0.1:$port/clip-h264-aac.mp4" 2>&1) == *h264* ]] || fault "a URL cannot be read"

bytes=$(dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/vplay | wc -c)
echo "check-deb: $(basename "$package"): $(stat -c %s "$package") bytes, the command $bytes bytes, installed $(dpkg-deb -f "$package" Installed-Size) KiB"
[ "$faults" = 0 ] && echo "check-deb: the package works in $suite"
