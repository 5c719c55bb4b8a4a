# Sourced in the root of this tree: Debian systems in folders, as root. Their mounts are in a namespace of each command, so the
# folders can be deleted at any time (`make clean`).

chroots=$PWD/.build-deb/chroots

# prepare SUITE NAME PACKAGE...: sets `root` to a minimal system with these packages, which is kept for the next time.
prepare() {
    local suite=$1 name=$2
    local base=$chroots/$suite
    shift 2
    [ "$(id -u)" = 0 ] || { echo "chroots: run as root" >&2; return 1; }
    command -v debootstrap >/dev/null || { echo "chroots: debootstrap is missing: apt-get install debootstrap" >&2; return 1; }
    mkdir -p "$chroots"
    if [ ! -e "$base.complete" ]; then
        rm -rf "$base"
        debootstrap --variant=minbase "$suite" "$base" "${MIRROR:-http://deb.debian.org/debian}" >"$base.log" 2>&1 ||
            { echo "chroots: debootstrap failed: $base.log" >&2; return 1; }
        touch "$base.complete"
    fi
    root=$base-$name
    if [ "$(cat "$root.complete" 2>/dev/null)" != "packages: $*" ]; then
        rm -rf "$root" "$root.complete"
        cp -a "$base" "$root"
        inside "$root" apt-get -qq update
        if [ $# -gt 0 ]; then add "$root" "$@" >"$root.log"; fi
        echo "packages: $*" >"$root.complete"
    fi
}

# prepare_with SUITE NAME FILE PACKAGE...: sets `root` to a copy of such a system, in which FILE, a package, was installed. The copy is
# deleted when the script ends.
prepare_with() {
    local file=$3
    prepare "$1" "$2" "${@:4}"
    local copy=$root-check
    rm -rf "$copy"
    cp -a "$root" "$copy"
    root=$copy
    trap 'rm -rf "$root"' EXIT
    mkdir -p "$root/check"
    cp "$file" "$root/check/vplay.deb"
    inside "$root" apt-get -qq update
    add "$root" /check/vplay.deb >"$root.log" 2>&1 || { cat "$root.log" >&2; echo "chroots: $file cannot be installed" >&2; return 1; }
}

# add ROOT PACKAGE...: installs packages, without those that they recommend.
add() { inside "$1" apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${@:2}"; }

# inside ROOT COMMAND...: runs a command as root in a system. `shared` lists folders of this machine that it sees at the same path.
inside() {
    local root=$1
    shift
    unshare --mount --pid --fork --kill-child bash -euc '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        for folder in $shared; do
            mkdir -p "$root$folder"
            mount --bind "$folder" "$root$folder"
        done
        exec chroot "$root" "$@"
    ' inside "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+"http_proxy=$http_proxy"} "$@"
}
export shared=
