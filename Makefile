# Everything that a newcomer needs: `make run` to try the gate, `make test` to be sure of it.

SWIFT ?= swift
GATE := .build/release/versiongate
# Linked into the binary, the Swift runtime needs not be installed where the gate runs. The run-time
# exclusivity checks cost a tenth of the gate's own time; the tests run with them.
RELEASE_FLAGS := -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked

.PHONY: run build test lint bench dearest soak updates conformance fuzz sanitize clean

run: build
	@dev/run.sh $(GATE)

build:
	@dev/install-packages.sh build
	$(SWIFT) build $(RELEASE_FLAGS) --product versiongate

test: lint
	@dev/install-packages.sh test
	python3 -B -m unittest discover --start-directory dev/tests
	python3 -B -m unittest discover --start-directory Tests/FeedServers/tests
	python3 -B -m unittest discover --start-directory Benchmarks/tests
	$(SWIFT) build --build-tests
	SWIFT=$(SWIFT) dev/run-tests.py

lint:
	$(SWIFT) format lint --strict --recursive Sources Tests Fuzzing Package.swift
	dev/check-imports.sh

# Twenty minutes.
bench: build
	@dev/install-peers.sh
	python3 Benchmarks/run.py --gate $(GATE) --markdown docs/benchmarks.md
	python3 Benchmarks/dearest.py --gate $(GATE)

# What the dearest requests cost, in instructions; a minute.
dearest: build
	python3 Benchmarks/dearest.py --gate $(GATE)

# An hour.
soak: build
	python3 Benchmarks/soak.py --gate $(GATE)

# Two minutes.
updates: build
	python3 Benchmarks/updates.py --gate $(GATE)

conformance: build
	@dev/install-packages.sh conformance
	@dev/install-peers.sh
	$(SWIFT) build --product conformance
	VERSIONGATE_BINARY=$(GATE) .build/debug/conformance Tests/Conformance/peers docs/conformance.md

# FUZZ_SECONDS each, 60 if nothing is said.
fuzz:
	SWIFT=$(SWIFT) Fuzzing/run.sh

sanitize:
	@dev/install-packages.sh test
	SWIFT=$(SWIFT) Fuzzing/sanitize.sh

clean:
	$(SWIFT) package clean
