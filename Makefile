# Everything that a newcomer needs: `make run` to try the gate, `make test` to be sure of it.

SWIFT ?= swift
GATE := .build/release/versiongate
NODE ?= node
# What dev/install-python.sh makes, once it is there.
PYTHON = $(or $(wildcard .build/python/bin/python3),python3)
# Linked into the binary, the Swift runtime needs not be installed where the gate runs. The run-time
# exclusivity checks cost a tenth of the gate's own time; the tests run with them. Lines and functions are
# enough for a trace or a profile, and all that a debugger could show besides takes half a minute.
RELEASE_FLAGS := -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked \
	-Xswiftc -gline-tables-only -Xcc -gline-tables-only

# What `versiongate version` says it was built from. Only this tells the build, so that a commit does not
# have all tests linked anew.
COMMIT := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)
# Package, image and their tests.
PACKAGES := .build/package

.PHONY: run build test lint bench dearest observed soak updates conformance fuzz sanitize clean
.PHONY: clients notice package package-test image image-test kubernetes client admin-api prometheus

# RUN=--no-traffic: without the demo's clients.
run: build
	@dev/run.sh $(GATE) $(RUN)

build:
	@dev/install-packages.sh build
	VERSIONGATE_COMMIT=$(COMMIT) $(SWIFT) build $(RELEASE_FLAGS) --product versiongate

test:
	@dev/install-packages.sh test
	@dev/install-python.sh
	@$(MAKE) --no-print-directory lint
	$(SWIFT) build --build-tests
	python3 -B dev/notice.py --check
	SWIFT="$(SWIFT)" MAKE="$(MAKE)" dev/run-tests.py --beside $(WAITING_TESTS)

# Parts of `test` that mostly wait, and so run beside each other and beside the tests in Swift. Each ends with how many
# tests passed, failed and were skipped, which dev/run-tests.py adds up.
WAITING_TESTS := test-dev test-feed-servers test-benchmarks test-pages test-python test-javascript test-kotlin
.PHONY: $(WAITING_TESTS)

test-dev:
	$(PYTHON) -B dev/run-python-tests.py dev/tests

test-feed-servers:
	$(PYTHON) -B dev/run-python-tests.py Tests/FeedServers/tests

test-benchmarks:
	$(PYTHON) -B dev/run-python-tests.py Benchmarks/tests

test-pages:
	dev/try-pages.py --gate .build/debug/versiongate docs/guides/*.md docs/incident.md

test-python:
	$(PYTHON) -B dev/run-python-tests.py clients/python/tests

test-javascript:
	$(NODE) --test --test-reporter=tap clients/javascript/tests/*.test.js

test-kotlin:
	clients/kotlin/test.sh

lint: .build/formatted
	dev/check-imports.sh
	dev/check-folders.py

# As old as the last look at the form of the files in Swift that found nothing: only newer ones are read again.
SWIFT_FOLDERS := Sources Tests Fuzzing
.build/formatted: .swift-format Package.swift $(shell find $(SWIFT_FOLDERS) -name '*.swift')
	@mkdir -p $(@D)
	@touch $@.new
	$(SWIFT) format lint --strict --parallel \
		$(if $(filter .swift-format,$?),--recursive $(SWIFT_FOLDERS) Package.swift,$?)
	@mv $@.new $@

# Twenty minutes.
bench: build
	@dev/install-peers.sh
	python3 Benchmarks/run.py --gate $(GATE) --markdown docs/benchmarks.md
	python3 Benchmarks/dearest.py --gate $(GATE)

# What the dearest requests cost, in instructions; a minute.
dearest: build
	python3 Benchmarks/dearest.py --gate $(GATE)

# What metrics, census and breaker cost, in instructions; a quarter of an hour.
observed: build
	python3 Benchmarks/observed.py --gate $(GATE)

# An hour.
soak: build
	@dev/install-packages.sh soak
	python3 Benchmarks/soak.py --gate $(GATE)

# Two minutes.
updates: build
	python3 Benchmarks/updates.py --gate $(GATE)

conformance: build
	@dev/install-packages.sh conformance
	@dev/install-peers.sh
	$(SWIFT) build --product conformance
	VERSIONGATE_BINARY=$(GATE) .build/debug/conformance Tests/Conformance/peers docs/conformance.md

# What real clients see of a denial, straight and behind proxies; twenty minutes.
clients: build
	@dev/install-packages.sh clients
	@dev/install-peers.sh
	@dev/install-python.sh Tests/ClientMatrix/requirements.txt .build/clients
	@dev/install-python.sh Tests/ClientMatrix/niquests.txt .build/niquests
	.build/clients/bin/python3 -B Tests/ClientMatrix/run.py --gate $(GATE) --markdown docs/client-matrix.md

# FUZZ_SECONDS each, 60 if nothing is said.
fuzz:
	SWIFT=$(SWIFT) Fuzzing/run.sh

sanitize:
	@dev/install-packages.sh test
	@dev/install-python.sh
	SWIFT=$(SWIFT) Fuzzing/sanitize.sh

# What NOTICE says of the packages that are linked.
notice:
	python3 -B dev/notice.py

package: build
	@dev/install-packages.sh package
	rm -f $(PACKAGES)/*.deb
	deploy/debian/package.sh $(GATE) $(PACKAGES)
	@ls -l $(PACKAGES)/*.deb

# As root, in a fresh root; five minutes.
package-test: package
	@dev/install-packages.sh package-test
	deploy/debian/test.sh $(PACKAGES)/versiongate_*.deb

# As root.
image: package
	@dev/install-packages.sh package-test
	rm -rf $(PACKAGES)/image
	deploy/image/build.sh $(PACKAGES)/versiongate_*.deb $(PACKAGES)/image

image-test: image
	deploy/image/test.sh $(PACKAGES)/image

# The library for apps as a Mac builds it, without the gate and its dependencies; two minutes.
client:
	GATE_CLIENT_ALONE=1 $(SWIFT) test --scratch-path .build/client --only-use-versions-from-resolved-file

# Two minutes; wants PyPI the first time.
admin-api:
	$(SWIFT) build --product versiongate
	dev/check-admin-api.sh

kubernetes:
	dev/check-kubernetes.sh

# Alerts and dashboard, by Debian's Prometheus; four minutes.
prometheus:
	$(SWIFT) build --product versiongate
	dev/check-prometheus.sh

clean:
	$(SWIFT) package clean
