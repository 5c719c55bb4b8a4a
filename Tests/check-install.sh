#!/usr/bin/env bash
# check-install.sh VPLAY: installs the built command into a temporary folder, and tests the installed files: the command, the
# completions in bash (and in fish, if it is installed), and the manual page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

vplay=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0
fault() { echo "check-install: $*" >&2; faults=1; }

make --no-print-directory --old-file build install VPLAY="$vplay" PREFIX=/usr DESTDIR="$work/root" >/dev/null
share=$work/root/usr/share
files="bin/vplay share/man/man1/vplay.1 share/bash-completion/completions/vplay
    share/zsh/site-functions/_vplay share/fish/vendor_completions.d/vplay.fish"
unit=$work/root/usr/lib/systemd/system/vplay-kiosk@.service
for file in $files lib/systemd/system/vplay-kiosk@.service; do [ -s "$work/root/usr/$file" ] || fault "make install does not install $file"; done

# ------------------------------------------------------------------------------------------------- command

"$work/root/usr/bin/vplay" --version >/dev/null || fault "the installed command does not run"
[ -z "$(nm "$work/root/usr/bin/vplay" 2>/dev/null)" ] || fault "the installed command has its symbols"

# ------------------------------------------------------------------------------------------------- unit

grep -q '^ExecStart=/usr/bin/vplay ' "$unit" || fault "the unit does not start /usr/bin/vplay"
if command -v systemd-analyze >/dev/null; then
    # The command must exist where the unit names it, which is checked with the installed one.
    sed "s|/usr/bin/vplay|$work/root/usr/bin/vplay|" "$unit" >"$work/vplay-kiosk@check.service"
    words=$(systemd-analyze verify --man=no "$work/vplay-kiosk@check.service" 2>&1 | grep vplay-kiosk || true)
    [ -z "$words" ] || fault "systemd-analyze on the unit: $words"
fi

# ------------------------------------------------------------------------------------------------- manual page

${PYTHON:-python3} docs/manual/manual.py "$vplay" --check || faults=1
if command -v man >/dev/null; then
    words=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$share/man/man1/vplay.1" 2>&1 >"$work/page") || fault "man cannot show the page"
    [ -z "$words" ] || fault "man on the page: $words"
    grep -q -- '--frame-cache' "$work/page" || fault "the page does not tell of --frame-cache"
fi

# ------------------------------------------------------------------------------------------------- completions

mkdir -p "$work/files/folder"
touch "$work/files/clip.mp4" "$work/files/a b.mkv"

# Prints bash's completions of a line, one per line. As in bash, colons and = split words.
offers() (
    set +eu  # as in an interactive shell
    cd "$work/files"
    compopt() { :; }
    source "$share/bash-completion/completions/vplay"
    line=${1//:/ : }
    read -ra COMP_WORDS <<<"${line//=/ = }"
    case $1 in *' ' | *:) COMP_WORDS+=('') ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    handler=$(complete -p vplay | sed 's/.*-F \([^ ]*\) .*/\1/')
    "$handler" vplay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>&1
    printf '%s\n' "${COMPREPLY[@]}" | sort
)

expect() {
    local found
    found=$(offers "$1" | paste -sd,)
    [ "$found" = "$2" ] || fault "bash offers for '$1': $found; expected $2"
}

expect 'vplay --lo' '--loop'
expect 'vplay clip.mp4 --unt' '--untimed'
expect 'vplay --loop --mut' '--muted'
expect 'vplay cl' 'clip.mp4'
expect 'vplay --loop a' 'a b.mkv'
expect 'vplay p' 'pick,play,probe'
expect 'vplay --gravity resizeAspectF' 'resizeAspectFill'
expect 'vplay --events=js' 'json'
expect 'vplay --video y' 'y4m:'
expect 'vplay snapshot --qua' '--quality'
expect 'vplay --video y4m:cl' 'clip.mp4'
expect 'vplay play --lo' '--loop'
expect 'vplay play clip.mp4 f' 'folder'
expect 'vplay probe --j' '--json'
expect 'vplay probe c' 'clip.mp4'
expect 'vplay bench --th' '--threads'
expect 'vplay pick --ki' '--kind'
expect 'vplay pick --kind au' 'audio'
expect 'vplay record --dev' '--device'
expect 'vplay ' 'a b.mkv,bench,clip.mp4,folder,frames,help,pick,play,probe,record,snapshot'

if command -v fish >/dev/null; then
    found=$(cd "$work/files" && HOME=$work fish -c "source $share/fish/vendor_completions.d/vplay.fish
        for line in 'vplay --lo' 'vplay cl' 'vplay pr' 'vplay probe --j'; complete -C \$line; end" | cut -f1 | paste -sd,)
    [ "$found" = '--loop,clip.mp4,probe,--json' ] || fault "fish offers $found"
fi
if command -v zsh >/dev/null; then zsh -n "$share/zsh/site-functions/_vplay" || fault "zsh cannot read its completions"; fi

[ "$faults" = 0 ] && echo "check-install: completions and manual page are correct"
