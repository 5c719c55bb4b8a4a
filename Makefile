# Playhead. A bare `make` lists the targets; each can be run twice and from a clean clone.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
# Targets share build folders, also of packages outside this one.
.NOTPARALLEL:

SWIFT ?= swift
PREFIX ?= /usr/local
TESTFLAGS ?=
# Tests under a sanitizer are slower, so real files must be requested explicitly.
SANITIZER_CORPUS ?=
# The build folder of `make lint`. CI uses one build for tests and lint.
STRICT_BUILD ?= .build-strict
# CI builds from scratch, which is faster with whole modules, each compiled by one job, and with line tables as the only debug
# information. SwiftPM finds the tests in the index of the package's own modules, so that of others is left out. Incremental
# builds are faster without.
WHOLE_MODULES ?=
PYTHON ?= $(firstword $(wildcard .venv/bin/python3) python3)

comma := ,
whole-modules = $(addprefix -Xswiftc ,-whole-module-optimization -num-threads 2 -no-emit-module-separately-wmo -gline-tables-only \
	-index-ignore-system-modules -index-ignore-clang-modules)
BUILDFLAGS = $(if $(WHOLE_MODULES),$(whole-modules))
# The folder of the command's release build. CI builds it in parallel with the tests.
RELEASE_BUILD ?= .build
RELEASE := -c release --product vplay --scratch-path $(RELEASE_BUILD)
VPLAY := $(RELEASE_BUILD)/release/vplay
# The modules whose tests run under a sanitizer for each change, because it can find faults that the plain tests miss: modules
# with unsafe pointers and C libraries (addresses), modules with locks and callbacks (threads). Empty (`make nightly`): all.
# CI runs the tests of these modules under their sanitizers only: optimized, so that it takes less time than without.
# The unsafe code of HLS is run under the address sanitizer by its fuzz targets (`make fuzz`, `make nightly`) instead, and that of
# PulseAudio, whose tests play in real time, by `make nightly`.
ASAN_MODULES ?= FFmpeg MediaCore Network Sinks TerminalSink WindowSink
TSAN_MODULES ?= HLS Network PlaybackEngine Playhead PlayheadFeed PulseAudio
FIXTURES := media-fixtures/generated
SOURCES = $(wildcard Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Benchmarks Benchmarks/Sources docs/examples)

##@ Start here

.PHONY: demo
demo: build fixtures ## build everything, then play a clip twice (shows that this machine can run Playhead)
	$(VPLAY) play --repeat 2 --muted --stats $(FIXTURES)/clip-h264-aac.mp4
	@echo "demo: played to the end"

.PHONY: help
help: ## list the targets
	@awk -f .ci/help.awk $(firstword $(MAKEFILE_LIST))

.PHONY: deps
deps: ## check for Swift, install missing system packages (apt; lists them first)
	@SWIFT="$(SWIFT)" .ci/deps

##@ Build and run

.PHONY: build
build: deps ## build vplay for release (linked statically with Swift's libraries)
	$(SWIFT) build $(RELEASE)

.PHONY: install
install: build ## install vplay, its manual page, its systemd unit and the completions of bash, zsh and fish into PREFIX (default /usr/local)
	share="$(DESTDIR)$(PREFIX)/share"
	# Without its symbols, which are more than half of the file.
	install -s -D -m 755 $(VPLAY) "$(DESTDIR)$(PREFIX)/bin/vplay"
	install -D -m 644 docs/manual/vplay.1 "$$share/man/man1/vplay.1"
	unit="$(DESTDIR)$(PREFIX)/lib/systemd/system/vplay-kiosk@.service"
	install -d "$$(dirname "$$unit")"
	sed 's|@bindir@|$(PREFIX)/bin|' docs/systemd/vplay-kiosk@.service >"$$unit"
	chmod 644 "$$unit"
	completions() {
		install -d "$$(dirname "$$2")"
		$(VPLAY) --generate-completion-script "$$1" >"$$2"
		chmod 644 "$$2"
	}
	# The shell reads this file itself, so it needs no interpreter line.
	completions bash "$$share/bash-completion/completions/vplay"
	sed -i '1{/^#!/d}' "$$share/bash-completion/completions/vplay"
	completions zsh "$$share/zsh/site-functions/_vplay"
	completions fish "$$share/fish/vendor_completions.d/vplay.fish"

# The folder of the packages, and the Debian to build for (`bookworm`, `trixie`) instead of the one of this machine.
PACKAGES ?= .build-deb
CHROOT ?=

.PHONY: deb
deb: $(if $(CHROOT),,build-release) ## make a Debian package (CHROOT=trixie: for another Debian, in a chroot; needs root)
	$(if $(CHROOT),SWIFT="$(SWIFT)" docs/debian/chroot.sh $(CHROOT) $(PACKAGES),PYTHON="$(PYTHON)" docs/debian/package.sh $(VPLAY) $(PACKAGES))

.PHONY: manual
manual: deps ## generate docs/manual/vplay.1 from the command's parser
	$(SWIFT) build --product vplay
	$(PYTHON) docs/manual/manual.py "$$($(SWIFT) build --show-bin-path)/vplay"

.PHONY: fixtures
fixtures: deps ## generate the media files for tests and demo
	media-fixtures/make.sh

.PHONY: clean
clean: ## remove all build products and generated files
	rm -rf .build .build-* Benchmarks/.build docs/examples/.build $(FIXTURES)

##@ Check

.PHONY: test
# The tests of the command use its release build.
test: export PLAYHEAD_VPLAY := $(abspath $(VPLAY))
test: fixtures build-release ## run all tests, with the release build of the command (TESTFLAGS='--filter Name' for a part; PLAYHEAD_CORPUS=DIR adds a folder of real files)
	@echo "PLAYHEAD_CORPUS: $${PLAYHEAD_CORPUS:-not set, tests with real files are skipped}"
	$(call run-tests,$(BUILDFLAGS))

.PHONY: build-release
build-release:
	env -u PLAYHEAD_SHARED_SWIFT $(SWIFT) build $(RELEASE)
	Tests/check-size.sh $(VPLAY)

.PHONY: test-release
# Tests and libraries are optimized. Only the command of this build uses Swift's shared libraries.
test-release: export PLAYHEAD_VPLAY := $(abspath $(VPLAY))
test-release: export PLAYHEAD_SHARED_SWIFT := 1
test-release: fixtures build-release ## run all tests, built for release
	$(call run-tests,-c release --scratch-path .build-release -Xswiftc -enable-testing -Xswiftc -gline-tables-only)

# Arguments: flags of `swift build`, options of the tests.
build-tests = $(SWIFT) build --build-tests $(1)
run-tests = $(call build-tests,$(1)) && \
	$(if $(TESTFLAGS),$(SWIFT) test --skip-build --no-parallel $(1) $(2) $(TESTFLAGS),Tests/run.sh "$$($(SWIFT) build --show-bin-path $(1))" $(2))

.PHONY: lint
lint: lint-code lint-benchmarks ## check formatting, documents against the code, doc comments, completions and the manual page, and build (with the benchmarks) with warnings as errors

.PHONY: lint-code
lint-code: deps fixtures
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	for script in .ci/run .ci/deps .ci/release docs/debian/*.sh media-fixtures/make.sh Tests/*.sh; do bash -n "$$script"; done
	SWIFT="$(SWIFT)" Tests/check-static-mutex.sh
	$(PYTHON) Tests/check-contract.py
	$(PYTHON) Tests/check-rules.py
	SWIFT="$(SWIFT)" $(PYTHON) Tests/check-imports.py
	$(PYTHON) Tests/check-examples.py
	PLAYHEAD_STRICT=1 $(SWIFT) build --build-tests --scratch-path $(STRICT_BUILD) $(BUILDFLAGS)
	built=$$($(SWIFT) build --show-bin-path --scratch-path $(STRICT_BUILD))
	SWIFT="$(SWIFT)" $(PYTHON) Tests/check-comments.py "$$built/Modules"
	SWIFT="$(SWIFT)" $(PYTHON) Tests/check-avfoundation.py "$$built/Modules"
	$(PYTHON) Tests/check-examples.py "$$built"
	PYTHON="$(PYTHON)" Tests/check-install.sh "$$built/vplay"

.PHONY: lint-benchmarks
# In the build folder of lint-code: the modules of this package are compiled with the same flags, so only the benchmarks are left.
lint-benchmarks: deps
	PLAYHEAD_STRICT=1 $(SWIFT) build --package-path Benchmarks --scratch-path $(STRICT_BUILD) $(BUILDFLAGS)

.PHONY: format
format: ## format all Swift files in place
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

.PHONY: docs
docs: deps ## build the documentation as a website into .build-docs/site, with warnings as errors
	$(SWIFT) build $(BUILDFLAGS)
	SWIFT="$(SWIFT)" $(PYTHON) docs/site.py "$$($(SWIFT) build --show-bin-path)/Modules" .build-docs/site

.PHONY: readme
readme: fixtures ## build and run the package that README.md shows, from its code blocks alone
	SWIFT="$(SWIFT)" Tests/check-readme.sh $(BUILDFLAGS)

.PHONY: avfoundation
avfoundation: fixtures ## build packages outside this one with the product AVFoundation and without it, and play clips
	SWIFT="$(SWIFT)" Tests/check-avfoundation.sh $(BUILDFLAGS)

.PHONY: apple-sources
apple-sources: fixtures ## build a package outside this one with the traits AppleSources and Combine, and test the translator
	SWIFT="$(SWIFT)" Tests/check-apple-sources.sh

# Settings for the sanitizers: a build from scratch, optimized code (several times faster), fewer samples of tests with many
# samples, and the modules to test.
%-asan %-tsan: export PLAYHEAD_OPTIMIZED := 1
%-asan %-tsan: export PLAYHEAD_SAMPLES ?= few
%-asan: export PLAYHEAD_TESTS := $(ASAN_MODULES:%=%Tests)
%-tsan: export PLAYHEAD_TESTS := $(TSAN_MODULES:%=%Tests)
asan-flags := --sanitize=address --scratch-path .build-asan $(whole-modules)
tsan-flags := --sanitize=thread --scratch-path .build-tsan $(whole-modules)

.PHONY: test-asan
test-asan: fixtures ## run the tests of ASAN_MODULES under the address and leak sanitizers (ASAN_MODULES= for all)
	export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=0
	export LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/sanitizers/lsan.supp:print_suppressions=0
	export SWIFT_BACKTRACE=enable=no
	export PLAYHEAD_CORPUS=$(SANITIZER_CORPUS)
	$(call run-tests,$(asan-flags))

.PHONY: test-tsan
test-tsan: fixtures ## run the tests of TSAN_MODULES under the thread sanitizer (TSAN_MODULES= for all but those of the command)
	export TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/sanitizers/tsan.supp:halt_on_error=0:second_deadlock_stack=1
	export SWIFT_BACKTRACE=enable=no
	export PLAYHEAD_CORPUS=$(SANITIZER_CORPUS)
	# Without the command: its processes run code that the other suites cover under the sanitizer in one process.
	$(call run-tests,$(tsan-flags),--skip CommandTests)

# The test targets of both lists, for CI.
.PHONY: sanitized-tests
sanitized-tests:
	@echo $(sort $(ASAN_MODULES:%=%Tests) $(TSAN_MODULES:%=%Tests))

.PHONY: build-asan build-tsan
build-asan build-tsan: build-%:
	$(call build-tests,$($*-flags))

# What `make soak` runs: kills (100 take about a quarter of an hour), files (10,000 take half an hour), hours of the virtual clock, minutes
# of failing servers and disks, and runs of each fixture, or of each file in PLAYHEAD_CORPUS.
KILLS ?= 100
FILES ?= 10000
HOURS ?= 24
MINUTES ?= 30
RUNS ?= 1000

.PHONY: soak
soak: fixtures ## check what runs for months: KILLS kills with --resume, FILES files in a followed folder, HOURS of laps, MINUTES of outages, RUNS of each file
	$(SWIFT) build $(RELEASE)
	$(PYTHON) Tests/check-resume.py $(VPLAY) $(KILLS)
	$(PYTHON) Tests/check-watch.py $(VPLAY) $(FILES)
	$(PYTHON) Tests/check-laps.py $(VPLAY) $(HOURS)
	$(PYTHON) Tests/check-outages.py $(VPLAY) $(MINUTES)
	$(PYTHON) Tests/check-determinism.py $(VPLAY) $(RUNS) $(or $(PLAYHEAD_CORPUS),$(FIXTURES))

# What `make fuzz` runs: SECONDS of each fuzz target, or of TARGET alone.
SECONDS ?= 60
TARGET ?=

.PHONY: fuzz
fuzz: export PLAYHEAD_FUZZ := 1
fuzz: fixtures ## run the fuzz targets under libFuzzer and the address sanitizer, SECONDS each (TARGET=name for one)
	# Of several -sanitize flags the compiler obeys the last one, and SwiftPM orders its own at random.
	$(SWIFT) build --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer$(comma)address --scratch-path .build-fuzz $(whole-modules)
	$(PYTHON) Tests/FuzzTests/fuzz.py --seconds $(SECONDS) --target "$(TARGET)" --media $(FIXTURES) .build-fuzz/debug/FuzzTests

.PHONY: nightly
nightly: ## run all checks of .ci/run, with all seeds, all tests built for release, all tests under the sanitizers, and the fuzz targets
	.ci/run nightly

.PHONY: headers
headers: ## compare our declarations of libcurl, libchafa, SDL2, ALSA, libass and sd-bus with their headers (downloaded if missing)
	Tests/check-curl-headers.sh
	Tests/check-chafa-headers.sh
	Tests/check-sdl-headers.sh
	Tests/check-alsa-headers.sh
	Tests/check-ass-headers.sh
	Tests/check-systemd-headers.sh

.PHONY: ffmpeg7
ffmpeg7: ## compile against the headers of FFmpeg 7
	Tests/check-ffmpeg-headers.sh

##@ Measure

BENCHMARKS = $(SWIFT) build -c release --package-path Benchmarks --product
BENCHFLAGS ?= --no-progress

.PHONY: bench
bench: fixtures ## measure decode throughput of the fixtures (and of FILE=a.mp4), and the cost of the engine
	export PLAYHEAD_BENCH_FILES=$$(printf '%s\n' $(abspath $(FILE)))
	$(SWIFT) package --package-path Benchmarks benchmark $(BENCHFLAGS)
	$(BENCHMARKS) EngineCost
	$(PYTHON) Benchmarks/cost/cost.py

.PHONY: compare
compare: build ## compare with ffmpeg, mpv and GStreamer: make compare FILE=a.mp4 (or several, or a folder); SEEK=1: seeks, SCRUB=1: a timeline that is dragged, STILLS=1: stills, SAMPLING=1: samples, SCALE=1: scaled, LOOP=1: laps, NETWORK=1: slow links
	@test -n "$(FILE)$(LOOP)" || { echo "compare: no file given; use make compare FILE=a.mp4" >&2; exit 64; }
	if [ -n "$(LOOP)" ]; then
		$(PYTHON) Benchmarks/compare/loop.py --vplay $(VPLAY) $(FILE)
	elif [ -n "$(SEEK)" ]; then
		$(BENCHMARKS) SeekBench
		$(PYTHON) Benchmarks/compare/seek.py $(if $(SEED),--seed $(SEED)) $(FILE)
	elif [ -n "$(SCRUB)" ]; then
		$(BENCHMARKS) SeekBench
		$(PYTHON) Benchmarks/compare/scrub.py $(if $(SEED),--seed $(SEED)) $(FILE)
	elif [ -n "$(SAMPLING)" ]; then
		$(BENCHMARKS) SamplingBench
		$(PYTHON) Benchmarks/compare/sampling.py $(if $(SEED),--seed $(SEED)) $(if $(PEERS),--python $(PEERS)) $(FILE)
	elif [ -n "$(STILLS)" ]; then
		$(PYTHON) Benchmarks/compare/stills.py --vplay $(VPLAY) $(FILE)
	elif [ -n "$(NETWORK)" ]; then
		$(PYTHON) Benchmarks/compare/network.py --vplay $(VPLAY) $(FILE)
	elif [ -n "$(SCALE)" ]; then
		$(PYTHON) Benchmarks/compare/scale.py --vplay $(VPLAY) $(FILE)
	else
		$(PYTHON) Benchmarks/compare/compare.py --vplay $(VPLAY) $(FILE)
	fi

.PHONY: sync
sync: build ## measure audio and video synchronization through a real audio server, compared with mpv (8 minutes)
	$(PYTHON) Benchmarks/sync/sync.py --vplay $(VPLAY)
