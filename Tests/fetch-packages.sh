# Sourced by check-*-headers.sh, which define `fail` first. Nothing is installed.

# fetch_packages FOLDER PACKAGE...: downloads Debian packages to FOLDER and unpacks them there.
fetch_packages() {
    root="$1"
    shift
    command -v apt-get >/dev/null || fail "headers of $* are not here, and there is no apt-get to fetch them"
    mkdir -p "$root"
    (cd "$root" && apt-get -q download "$@" >download.log 2>&1) || fail "$* cannot be fetched (see $root/download.log)"
    for package in "$@"; do
        dpkg-deb -x "$(ls -t "$root/${package}_"*.deb | head -n 1)" "$root"
    done
}

# The name of this machine's architecture folder in /usr/lib and /usr/include.
architecture() { dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -dumpmachine; }
