# SPDX-License-Identifier: Apache-2.0
# The few commands a person types. The build itself is meson's.
.DEFAULT_GOAL := build
# What has two hashes is what `make help` prints.
.PHONY: help build demo test check check-long check-hours lint format fuzz bench bench-depth \
    install uninstall deb clean

help: ## what can be made
	@echo "make TARGET, where TARGET is"
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(firstword $(MAKEFILE_LIST)) | awk -F': ' \
	    '{ printf "  %-12s %s\n", $$1, substr($$0, length($$1) + 3) }'

build: ## build everything into build/release
	@scripts/deps build
	@scripts/build release

demo: build ## a scheduler at work with real jobs, half a minute; KEEP=1: until Ctrl-C
	@scripts/demo $(if $(KEEP),keep)

test: ## units and properties of what changed since they last passed (two minutes)
	@scripts/deps build test
	@scripts/test

check: ## build twice (release, sanitizers), run the tests, end with "N passed, N failed"
	@scripts/deps build test
	@scripts/check

check-long: ## what make check leaves out: tests that take long, more worlds, fuzzing; ends as it does
	@scripts/deps build test
	@scripts/check long

check-hours: build ## live twin (TWIN_SECONDS=n), 1000 kills, properties twenty times
	@scripts/check-hours

lint: ## clang-tidy over what changed since it was clean (all of it: an hour)
	@scripts/deps build test lint
	@scripts/lint

format: ## reformat src, tests and bench in place
	@scripts/deps test
	@scripts/format --in-place

fuzz: ## each fuzz target for a minute (FUZZ_SECONDS=n for longer)
	@scripts/deps build test
	@scripts/fuzz

bench: build ## measure; see docs/performance.md
	@bench/run.sh

bench-depth: ## how many jobs should have a reservation: table and plots
	@bench/run.sh depth

install: ## build optimised across files, into /usr/local, or PREFIX=FOLDER
	@scripts/deps build
	@$(if $(PREFIX),[ ! -f build/bench/build.ninja ] || \
	    meson configure build/bench --prefix "$(PREFIX)")
	@scripts/build bench
	@meson install -C build/bench --no-rebuild --quiet

uninstall: ## remove what the last make install put there
	@ninja -C build/bench uninstall

deb: ## Debian packages, into build/deb; docs/install.md
	@scripts/deps build package
	@scripts/deb

clean: ## remove the build folders
	@rm -rf build
