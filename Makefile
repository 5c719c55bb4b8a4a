# Playhead. A bare `make` lists the targets; each can be run twice and from a clean clone.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
TESTFLAGS ?=
# The sanitizers are many times slower: over real files they take most of an hour, so it must be asked for.
SANITIZER_CORPUS ?=
# Where `make lint` builds. CI builds for tests and lint at once.
STRICT_BUILD ?= .build-strict
# CI builds from nothing, which is quicker a module at a time and with the lines of code as all that a debugger is told.
# Who changes a file and builds again is quicker without.
WHOLE_MODULES ?=
PYTHON ?= $(firstword $(wildcard .venv/bin/python3) python3)

whole-modules = $(addprefix -Xswiftc ,-whole-module-optimization -num-threads 2 -gline-tables-only)
BUILDFLAGS = $(if $(WHOLE_MODULES),$(whole-modules))
# Where the command is built for release. CI builds it beside the tests.
RELEASE_BUILD ?= .build
RELEASE := -c release --product vplay --scratch-path $(RELEASE_BUILD)
VPLAY := $(RELEASE_BUILD)/release/vplay
# The modules whose tests run under a sanitizer for each change: where it can find what the plain tests do not. Unsafe pointers
# and C libraries for addresses, locks and callbacks for threads. `make nightly` runs all modules (empty).
ASAN_MODULES ?= FFmpeg HLS MediaCore Network PulseAudio Sinks TerminalSink WindowSink
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
deps: ## check for Swift, install the system packages that are missing (apt; names them first)
	@SWIFT="$(SWIFT)" .ci/deps

##@ Build and run

.PHONY: build
build: deps ## build vplay for release (it carries Swift's library with it)
	$(SWIFT) build $(RELEASE)

.PHONY: install
install: build ## install vplay, its manual page and the completions of bash, zsh and fish into PREFIX (default /usr/local)
	share="$(DESTDIR)$(PREFIX)/share"
	install -D -m 755 $(VPLAY) "$(DESTDIR)$(PREFIX)/bin/vplay"
	install -D -m 644 docs/manual/vplay.1 "$$share/man/man1/vplay.1"
	completions() {
		install -d "$$(dirname "$$2")"
		$(VPLAY) --generate-completion-script "$$1" >"$$2"
		chmod 644 "$$2"
	}
	completions bash "$$share/bash-completion/completions/vplay"
	completions zsh "$$share/zsh/site-functions/_vplay"
	completions fish "$$share/fish/vendor_completions.d/vplay.fish"

.PHONY: manual
manual: deps ## write docs/manual/vplay.1 anew, from what the command's parser says
	$(SWIFT) build --product vplay
	$(PYTHON) docs/manual/manual.py "$$($(SWIFT) build --show-bin-path)/vplay"

.PHONY: fixtures
fixtures: deps ## make the media files that tests and demo use
	media-fixtures/make.sh

.PHONY: clean
clean: ## remove all that was built or generated
	rm -rf .build .build-* Benchmarks/.build docs/examples/.build $(FIXTURES)

##@ Check

.PHONY: test
# The command is tested as it is released.
test: export PLAYHEAD_VPLAY := $(abspath $(VPLAY))
test: fixtures build-release ## run the whole suite, the command as it is released (TESTFLAGS='--filter Name' for a part; PLAYHEAD_CORPUS=DIR adds a folder of real files)
	@echo "PLAYHEAD_CORPUS: $${PLAYHEAD_CORPUS:-not set, tests over real files are skipped}"
	$(call run-tests,$(BUILDFLAGS))

.PHONY: build-release
build-release:
	env -u PLAYHEAD_SHARED_SWIFT $(SWIFT) build $(RELEASE)

.PHONY: test-release
# Tests and libraries are optimized; only the command of this build uses Swift's shared library.
test-release: export PLAYHEAD_VPLAY := $(abspath $(VPLAY))
test-release: export PLAYHEAD_SHARED_SWIFT := 1
test-release: fixtures build-release ## the suite built for release
	$(call run-tests,-c release --scratch-path .build-release -Xswiftc -enable-testing -Xswiftc -gline-tables-only)

# Arguments: flags of `swift build` and `swift test`, flags of `swift test` alone.
build-tests = $(SWIFT) build --build-tests $(1)
run-tests = $(call build-tests,$(1)) && \
	$(if $(TESTFLAGS),$(SWIFT) test --skip-build --no-parallel $(1) $(2) $(TESTFLAGS),SWIFT="$(SWIFT)" Tests/run.sh $(1) $(2))

.PHONY: lint
lint: lint-code lint-benchmarks ## formatting, docs/contract.md, docs/testing.md and README.md against the code, doc comments, completions, the manual page, and a build (with the benchmarks) in which a warning is an error

.PHONY: lint-code
lint-code: deps fixtures
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	for script in .ci/run .ci/deps media-fixtures/make.sh Tests/*.sh; do bash -n "$$script"; done
	SWIFT="$(SWIFT)" Tests/check-static-mutex.sh
	$(PYTHON) Tests/check-contract.py
	$(PYTHON) Tests/check-rules.py
	$(PYTHON) Tests/check-examples.py
	PLAYHEAD_STRICT=1 $(SWIFT) build --build-tests --scratch-path $(STRICT_BUILD) $(BUILDFLAGS)
	built=$$($(SWIFT) build --show-bin-path --scratch-path $(STRICT_BUILD))
	SWIFT="$(SWIFT)" $(PYTHON) Tests/check-comments.py "$$built/Modules"
	$(PYTHON) Tests/check-examples.py "$$built"
	PYTHON="$(PYTHON)" Tests/check-install.sh "$$built/vplay"

.PHONY: lint-benchmarks
lint-benchmarks: deps
	PLAYHEAD_STRICT=1 $(SWIFT) build --package-path Benchmarks --scratch-path .build-strict-benchmarks $(BUILDFLAGS)

.PHONY: format
format: ## format all Swift files in place
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

.PHONY: docs
docs: deps ## build the documentation as a website into .build-docs/site, with warnings as errors
	$(SWIFT) build $(BUILDFLAGS)
	SWIFT="$(SWIFT)" $(PYTHON) docs/site.py "$$($(SWIFT) build --show-bin-path)/Modules" .build-docs/site

.PHONY: readme
readme: fixtures ## build the package that README.md shows, as a stranger would, and run it
	SWIFT="$(SWIFT)" Tests/check-readme.sh $(BUILDFLAGS)

# What the sanitizers need: a build from nothing; optimized code, for it runs several times quicker; few samples of what
# is tried with many; the modules that they are asked to look at.
%-asan %-tsan: export PLAYHEAD_OPTIMIZED := 1
%-asan %-tsan: export PLAYHEAD_SAMPLES ?= few
%-asan: export PLAYHEAD_TESTS := $(ASAN_MODULES:%=%Tests)
%-tsan: export PLAYHEAD_TESTS := $(TSAN_MODULES:%=%Tests)
asan-flags := --sanitize=address --scratch-path .build-asan $(whole-modules)
tsan-flags := --sanitize=thread --scratch-path .build-tsan $(whole-modules)

.PHONY: test-asan
test-asan: fixtures ## the suites of ASAN_MODULES under the address and leak sanitizers (ASAN_MODULES= for all)
	export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=0
	export LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/sanitizers/lsan.supp:print_suppressions=0
	export SWIFT_BACKTRACE=enable=no
	export PLAYHEAD_CORPUS=$(SANITIZER_CORPUS)
	$(call run-tests,$(asan-flags))

.PHONY: test-tsan
test-tsan: fixtures ## the suites of TSAN_MODULES under the thread sanitizer (TSAN_MODULES= for all)
	export TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/sanitizers/tsan.supp:halt_on_error=0:second_deadlock_stack=1
	export SWIFT_BACKTRACE=enable=no
	export PLAYHEAD_CORPUS=$(SANITIZER_CORPUS)
	# Not the command: its processes run the code that the other suites run under the sanitizer in one process.
	$(call run-tests,$(tsan-flags),--skip CommandTests)

.PHONY: build-asan build-tsan
build-asan build-tsan: build-%:
	$(call build-tests,$($*-flags))

.PHONY: nightly
nightly: ## all checks of .ci/run, and what it leaves out: all seeds, the suite built for release, all suites under the sanitizers
	.ci/run nightly

.PHONY: headers
headers: ## compare what is declared here of libcurl, libchafa and SDL2 with their own headers (fetched where they are missing)
	Tests/check-curl-headers.sh
	Tests/check-chafa-headers.sh
	Tests/check-sdl-headers.sh

.PHONY: ffmpeg7
ffmpeg7: ## compile against the headers of FFmpeg 7
	Tests/check-ffmpeg-headers.sh

##@ Measure

BENCHMARKS = $(SWIFT) build -c release --package-path Benchmarks --product
BENCHFLAGS ?= --no-progress

.PHONY: bench
bench: fixtures ## decode throughput of the fixtures (and of FILE=a.mp4), and what the engine itself costs
	export PLAYHEAD_BENCH_FILES=$$(printf '%s\n' $(abspath $(FILE)))
	$(SWIFT) package --package-path Benchmarks benchmark $(BENCHFLAGS)
	$(BENCHMARKS) EngineCost
	$(PYTHON) Benchmarks/cost/cost.py

.PHONY: compare
compare: build ## compare with ffmpeg, mpv and GStreamer: make compare FILE=a.mp4 (or several, or a folder); SEEK=1: seeks, STILLS=1: stills, SCALE=1: scaled, LOOP=1: laps, NETWORK=1: slow links
	@test -n "$(FILE)$(LOOP)" || { echo "which file? make compare FILE=a.mp4" >&2; exit 64; }
	if [ -n "$(LOOP)" ]; then
		$(PYTHON) Benchmarks/compare/loop.py --vplay $(VPLAY) $(FILE)
	elif [ -n "$(SEEK)" ]; then
		$(BENCHMARKS) SeekBench
		$(PYTHON) Benchmarks/compare/seek.py $(if $(SEED),--seed $(SEED)) $(FILE)
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
sync: build ## measure sound against picture through a real sound server, beside mpv (8 minutes)
	$(PYTHON) Benchmarks/sync/sync.py --vplay $(VPLAY)
