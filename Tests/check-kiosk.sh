#!/usr/bin/env bash
# check-kiosk.sh SUITE PACKAGE: boots a minimal Debian with systemd, installs a package and runs the unit vplay-kiosk@.service: its
# start, its log, a hang that the watchdog ends, an upgrade, the removal. Needs root, debootstrap and systemd-nspawn; takes two minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source docs/debian/chroots.sh

suite=$1
package=$(realpath "$2")
clip=media-fixtures/generated/clip-h264-aac.mp4
fail() { echo "check-kiosk: $*" >&2; exit 1; }
command -v systemd-nspawn >/dev/null || fail "systemd-nspawn is missing: apt-get install systemd-container"
[ -e "$clip" ] || media-fixtures/make.sh

# udev creates the groups `input` and `render`, which the unit names.
prepare_with "$suite" boot "$package" dbus systemd systemd-sysv udev
mkdir -p "$root/srv/films" "$root/etc/vplay"
cp "$clip" "$root/srv/films/clip.mp4"
printf '%s\n' 'VPLAY_OPTIONS=--video null --audio none' VPLAY_INPUTS=/srv/films >"$root/etc/vplay/lobby.env"

# Runs in the system, as a unit of its own. Each step writes a line.
cat >"$root/check/run" <<'END_OF_SCRIPT'
#!/bin/bash
unit=vplay-kiosk@lobby.service
property() { systemctl show --value -p "$1" "$unit"; }
step() { if "${@:2}"; then echo "ok: $1"; else echo "FAILED: $1"; fi; }
# Repeats a command for at most 90 s.
eventually() { for attempt in $(seq 900); do "$@" && return; sleep 0.1; done; return 1; }
has_played() { grep -q '"reason":"eof"' /var/lib/vplay-kiosk-lobby/plays.jsonl; } 2>/dev/null
differs() { [ "$(property "$1")" != "$2" ] && [ "$(property ActiveState)" = active ]; }

step "systemd-analyze finds no fault in the unit" [ -z "$(systemd-analyze verify --man=no "$unit" 2>&1 | grep vplay)" ]
step "the unit is enabled" systemctl --quiet enable "$unit"
step "the unit starts, which waits for READY=1" systemctl start "$unit"
step "it runs as a user of its own" [ "$(stat -c %u "/proc/$(property MainPID)")" -ge 61184 ]
step "its status names the film" eventually bash -c "systemctl show -p StatusText $unit | grep -q clip.mp4"
step "a pass is in the log" eventually has_played
process=$(property MainPID)
kill -STOP "$process"
step "systemd restarts a process that hangs" eventually differs MainPID "$process"
step "the watchdog did it" [ "$(property NRestarts)" = 1 ]
process=$(property MainPID)
step "the package is upgraded" dpkg --install /check/vplay.deb
step "the upgrade restarts the unit" eventually differs MainPID "$process"
step "the package is removed" dpkg --remove vplay
step "the removal stops the unit" [ "$(property ActiveState)" != active ]
step "no process is left" [ -z "$(pidof vplay)" ]
step "the package is purged" dpkg --purge vplay
echo end
END_OF_SCRIPT
chmod +x "$root/check/run"
cat >"$root/etc/systemd/system/check.service" <<'END'
[Service]
Type=oneshot
ExecStart=/check/run
StandardOutput=file:/check/output
StandardError=file:/check/output
ExecStopPost=systemctl poweroff
[Install]
WantedBy=multi-user.target
END
inside "$root" systemctl --quiet enable check.service
timeout 300 systemd-nspawn --register=no --keep-unit --quiet --directory "$root" --boot </dev/null >"$root.log" 2>&1 ||
    fail "the system does not boot and stop: $(tail -n 5 "$root.log")"
cat "$root/check/output"
grep -q '^end$' "$root/check/output" && ! grep -q '^FAILED' "$root/check/output" || fail "$suite: a step failed"
echo "check-kiosk: $suite: the unit runs under systemd $(inside "$root" systemctl --version | sed -n 's/^systemd \([0-9]*\).*/\1/p')"
