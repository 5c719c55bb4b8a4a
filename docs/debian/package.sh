#!/usr/bin/env bash
# package.sh VPLAY FOLDER: makes a Debian package of a built command for the Debian on which this runs, and prints its path.
# The same files and the same commit give the same bytes. `make deb` builds the command first.
#
#   DEBFULLNAME, DEBEMAIL   the maintainer of the package; as a rule the author of the last commit
#   SOURCE_DATE_EPOCH       the date of the package; as a rule that of the last commit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
umask 022

fail() { echo "package: $*" >&2; exit 1; }
[ $# = 2 ] || fail "usage: package.sh VPLAY FOLDER"
vplay=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
for tool in dpkg-shlibdeps dpkg-gencontrol dpkg-deb ar strip xz; do
    command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install dpkg-dev binutils xz-utils"
done

# `+deb12` is lower than `+deb13`, so an upgrade of Debian replaces the package.
. /etc/os-release
[ "$ID" = debian ] || fail "this is $PRETTY_NAME; packages are made on Debian, or in a chroot with CHROOT=SUITE"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
version=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/PlayheadCore/PlayheadVersion.swift)
version=${version/-dev/~dev$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d)}+deb$VERSION_ID
# Before the release in Debian's order.
version=${version/-rc/\~rc}
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
make --no-print-directory --old-file build install VPLAY="$vplay" PREFIX=/usr DESTDIR="$root" >/dev/null
strip --remove-section=.comment --remove-section=.note "$root/usr/bin/vplay"
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_vplay" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
gzip -9n "$root/usr/share/man/man1/vplay.1"

# What dpkg's tools read. libavfilter and libavdevice are opened at run time; their numbers follow from that of libavutil.
mkdir -p "$work/debian" "$root/DEBIAN"
libavutil=$(objdump -p "$vplay" | sed -n 's/.*NEEDED *libavutil\.so\.//p')
sed -e "s/@maintainer@/$maintainer/" -e "s/@libavfilter@/$((libavutil - 49))/" -e "s/@libavdevice@/$((libavutil + 2))/" \
    docs/debian/control >"$work/debian/control"
${PYTHON:-python3} docs/debian/changelog.py "$version" "$VERSION_CODENAME" "$maintainer" "$SOURCE_DATE_EPOCH" >"$work/debian/changelog"

share=$root/usr/share
install -D -m 644 docs/debian/copyright "$share/doc/vplay/copyright"
gzip -9nc "$work/debian/changelog" >"$share/doc/vplay/changelog.gz"
for script in prerm postinst postrm; do install -m 755 "docs/debian/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
cd "$work"
dpkg-shlibdeps -Tdebian/substvars "$root/usr/bin/vplay"
dpkg-gencontrol -P"$root" -Tdebian/substvars -fdebian/files 2>&1 | grep -v 'unused substitution' >&2 || true
package=$folder/vplay_${version}_$(dpkg --print-architecture).deb
# dpkg-deb cannot use the filter of xz for machine code, which makes the package an eighth smaller. dpkg reads it.
dpkg-deb --root-owner-group -Znone --build "$root" plain.deb >/dev/null
ar x plain.deb
case $(dpkg --print-architecture) in
    amd64 | i386) filter=(--x86) ;;
    *) filter=() ;;
esac
xz --check=crc32 control.tar
xz --check=crc32 "${filter[@]}" --lzma2=preset=9e,dict=32MiB data.tar
rm -f "$package"
ar rcD "$package" debian-binary control.tar.xz data.tar.xz
printf '%s\n' "$package"
