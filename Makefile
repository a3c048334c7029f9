# `make run` starts the gate with a demo, `make test` runs all tests, and `make help` lists the rest.

SWIFT ?= swift
GATE := .build/release/versiongate
NODE ?= node
# The virtual environment that dev/install-python.sh creates, if it exists.
PYTHON = $(or $(wildcard .build/python/bin/python3),python3)
# What builds the Python package, and its virtual environment.
PACKAGING := clients/python/build-requirements.txt .build/packaging
# The Swift runtime is linked statically, so that the gate runs on systems without it. Dynamic exclusivity
# checks would take a tenth of the gate's CPU time; the tests run with them. Line tables are enough for
# stack traces and profiles; full debug information would add half a minute to the build.
RELEASE_FLAGS := -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked \
	-Xswiftc -gline-tables-only -Xcc -gline-tables-only

# The commit that `versiongate version` prints. It is passed only to release builds, because in debug builds each commit
# would relink all tests.
COMMIT := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)
# The folder for packages and images.
PACKAGES := .build/package


.DEFAULT_GOAL := run
.PHONY: help run build envoy-module test lint bench decide-bench envoy-bench dearest observed soak envoy-soak updates conformance fuzz sanitize clean
.PHONY: clients gateways gateway-manifests notice package package-test image image-test kubernetes client
.PHONY: client-packages helm admin-api prometheus

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## start the gate with a demo (RUN=--no-traffic: without its clients)
	@dev/run.sh $(GATE) $(RUN)

build: ## build the release executable
	@dev/install-packages.sh build
	VERSIONGATE_COMMIT=$(COMMIT) $(SWIFT) build $(RELEASE_FLAGS) --product versiongate

# SwiftPM adds to an existing archive, so the code of a deleted file would remain in it. Therefore, `envoy-module` and `test`
# remove the archive of the module first.
envoy-module: ## build the module for Envoy, .build/release/libversiongate_envoy.so (5 minutes)
	@dev/install-packages.sh build
	@rm -f .build/release/libversiongate_envoy.a
	$(SWIFT) build $(RELEASE_FLAGS) --product versiongate_envoy
	SWIFTC=$(SWIFT)c deploy/envoy/link.sh .build/release

test: ## lint, build and run all tests (10 minutes, 30 with the first build)
	@dev/install-packages.sh test
	@dev/install-python.sh
	@dev/install-python.sh $(PACKAGING)
	@$(MAKE) --no-print-directory lint
	@rm -f .build/debug/libversiongate_envoy.a
	$(SWIFT) build --build-tests
	python3 -B dev/notice.py --check
	SWIFT="$(SWIFT)" MAKE="$(MAKE)" dev/run-tests.py --beside $(WAITING_TESTS)

# Parts of `test` that run in parallel with the Swift tests, three at a time, the longest ones first. Each one prints
# the number of passed, failed and skipped tests, and dev/run-tests.py adds them up.
WAITING_TESTS := test-client-packages test-pages test-kotlin test-feed-servers test-dev test-benchmarks test-javascript \
	test-python test-admin-page
.PHONY: $(WAITING_TESTS)

test-dev:
	$(PYTHON) -B dev/run-python-tests.py dev/tests

test-feed-servers:
	$(PYTHON) -B dev/run-python-tests.py Tests/FeedServers/tests

test-benchmarks:
	$(PYTHON) -B dev/run-python-tests.py Benchmarks/tests

test-pages:
	dev/try-pages.py --gate .build/debug/versiongate docs/guides/*.md docs/incident.md $(TRANSLATED_PAGES)

# All but the page for app developers, which has no steps.
TRANSLATED_PAGES := $(filter-out %/clients.md,$(wildcard docs/ja/*.md docs/ko/*.md))

test-python:
	$(PYTHON) -B dev/run-python-tests.py clients/python/tests

test-javascript:
	$(NODE) --test --test-reporter=tap clients/javascript/tests/*.test.js

test-admin-page:
	$(NODE) --test --test-reporter=tap Tests/AdminPage/*.test.mjs

test-kotlin:
	clients/kotlin/test.sh

test-client-packages:
	SWIFT="$(SWIFT)" $(PYTHON) -B dev/run-python-tests.py clients/tests

lint: .build/formatted ## check the formatting, the layering and the translations
	dev/check-imports.sh
	dev/check-folders.py
	dev/check-translations.py

# The time of the formatter's last run without findings; only files changed since then are checked again.
SWIFT_FOLDERS := Sources Tests Fuzzing
.build/formatted: .swift-format Package.swift $(shell find $(SWIFT_FOLDERS) -name '*.swift')
	@mkdir -p $(@D)
	@touch $@.new
	$(SWIFT) format lint --strict --parallel \
		$(if $(filter .swift-format,$?),--recursive $(SWIFT_FOLDERS) Package.swift,$?)
	@mv $@.new $@

bench: build ## compare with other proxies and write docs/benchmarks.md (40 minutes)
	@dev/install-peers.sh
	python3 Benchmarks/run.py --gate $(GATE) --markdown docs/benchmarks.md
	python3 Benchmarks/dearest.py --gate $(GATE)

decide-bench: build ## compare decisions for gateways with other authorizers (15 minutes)
	@dev/install-packages.sh decide-bench
	@dev/install-peers.sh
	python3 Benchmarks/decide.py --gate $(GATE) --markdown docs/benchmarks.md

envoy-bench: build envoy-module ## compare the module for Envoy with other filters (5 minutes)
	@dev/install-peers.sh
	python3 Benchmarks/envoy_module.py --gate $(GATE)

dearest: build ## count the instructions of the most expensive requests (2 minutes)
	python3 Benchmarks/dearest.py --gate $(GATE)

observed: build ## count the instructions for metrics, census and breaker (15 minutes)
	python3 Benchmarks/observed.py --gate $(GATE)

soak: build ## run mixed traffic with failures, and check for leaks (1 hour)
	@dev/install-packages.sh soak
	python3 Benchmarks/soak.py --gate $(GATE)

envoy-soak: build envoy-module ## run the module for Envoy under traffic and reloads, and check for leaks (1 hour)
	@dev/install-peers.sh
	python3 Benchmarks/envoy_soak.py

updates: build ## measure reloads under load (2 minutes)
	python3 Benchmarks/updates.py --gate $(GATE)

conformance: build ## compare the HTTP conformance with that of other proxies
	@dev/install-packages.sh conformance
	@dev/install-peers.sh
	$(SWIFT) build --product conformance
	VERSIONGATE_BINARY=$(GATE) .build/debug/conformance Tests/Conformance/peers docs/conformance.md

clients: build ## run real HTTP clients and write docs/client-matrix.md (20 minutes)
	@dev/install-packages.sh clients
	@dev/install-peers.sh
	@dev/install-python.sh Tests/ClientMatrix/requirements.txt .build/clients
	@dev/install-python.sh Tests/ClientMatrix/niquests.txt .build/niquests
	.build/clients/bin/python3 -B Tests/ClientMatrix/run.py --gate $(GATE) --markdown docs/client-matrix.md

gateways: build envoy-module ## run the gate with real gateways and write docs/gateways/README.md (10 minutes)
	@dev/install-packages.sh gateways
	@dev/install-peers.sh
	@dev/install-python.sh Tests/Gateways/requirements.txt .build/gateways
	PATH="$(CURDIR)/.build/peers/bin:$$PATH:/usr/sbin" dev/try-pages.py --gate $(GATE) $(GATEWAY_PAGES)
	.build/gateways/bin/python3 -B Tests/Gateways/run.py --gate $(GATE) --markdown docs/gateways/README.md
	.build/gateways/bin/python3 -B Tests/Gateways/envoy_checks.py --gate $(GATE)
	.build/gateways/bin/python3 -B Tests/Gateways/envoy_module.py --gate $(GATE)

# The pages whose commands run anywhere; those for Kubernetes have only manifests.
GATEWAY_PAGES := $(foreach name,nginx haproxy caddy traefik apache envoy,docs/gateways/$(name).md)

fuzz: ## run all fuzzers, FUZZ_SECONDS each (default 60)
	SWIFT=$(SWIFT) Fuzzing/run.sh

sanitize: ## run the tests with the thread and address sanitizers (30 minutes)
	@dev/install-packages.sh test
	@dev/install-python.sh
	SWIFT=$(SWIFT) Fuzzing/sanitize.sh

notice: ## write NOTICE, the licenses of the linked packages
	python3 -B dev/notice.py

package: build envoy-module ## build the Debian packages of the gate and of the module for Envoy
	@dev/install-packages.sh package
	rm -f $(PACKAGES)/*.deb
	deploy/debian/package.sh $(GATE) .build/release/libversiongate_envoy.so $(PACKAGES)
	@ls -l $(PACKAGES)/*.deb

package-test: package ## test the package in a fresh root, as root (5 minutes)
	@dev/install-packages.sh package-test
	deploy/debian/test.sh $(PACKAGES)/versiongate_*.deb $(PACKAGES)/versiongate-envoy_*.deb

image: package ## build the container image, as root
	@dev/install-packages.sh package-test
	rm -rf $(PACKAGES)/image
	deploy/image/build.sh $(PACKAGES)/versiongate_*.deb $(PACKAGES)/versiongate-envoy_*.deb $(PACKAGES)/image

image-test: image ## test the image, as root
	deploy/image/test.sh $(PACKAGES)/image

client-packages: ## build the packages of the client libraries for npm, PyPI and Maven
	@dev/install-packages.sh client-packages
	@dev/install-python.sh $(PACKAGING)
	rm -rf .build/client-packages
	for client in javascript python kotlin; do \
		clients/$$client/package.sh .build/client-packages/$$client || exit 1; \
	done
	find .build/client-packages -type f | sort

client: ## build and test the Swift client library alone, as on macOS (2 minutes)
	GATE_CLIENT_ALONE=1 $(SWIFT) test --scratch-path .build/client --only-use-versions-from-resolved-file

admin-api: ## test the admin API against its OpenAPI document with Schemathesis (2 minutes)
	$(SWIFT) build --product versiongate
	dev/check-admin-api.sh

kubernetes: ## check the Kubernetes manifests
	dev/check-kubernetes.sh

helm: ## check the Helm chart with Helm and a gate (1 minute)
	$(SWIFT) build --product versiongate
	dev/check-helm.sh

gateway-manifests: ## check the manifests in docs/gateways (CRDS=FOLDER: also with these CRDs)
	dev/check-gateway-manifests.sh $(if $(CRDS),--crds $(CRDS))

prometheus: ## check the alerts and the dashboard with Prometheus (4 minutes)
	$(SWIFT) build --product versiongate
	dev/check-prometheus.sh

clean: ## remove build products
	$(SWIFT) package clean
