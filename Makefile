# Every target sets up what it needs; again it costs little.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
FOLDER = $(or $(CORPUS),$(error which descriptions? make $@ CORPUS=folder))
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test check lint types soak bench charters corpus scale lab clean
help: ## show this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 12

.stamps/dev: pyproject.toml
	@mkdir -p .stamps
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing the project and its tools into .venv"
	@$(BIN)/python -m pip install -q --upgrade pip >.stamps/dev.log 2>&1 || (cat .stamps/dev.log; exit 1)
	@$(BIN)/python -m pip install -q -e '.[dev]' >.stamps/dev.log 2>&1 || (cat .stamps/dev.log; exit 1)
	@touch $@

.stamps/servers: tests/servers/requirements.txt
	@mkdir -p .stamps
	@test -x .venv-servers/bin/python || $(PYTHON) -m venv .venv-servers
	@echo "installing the servers that the tests talk to into .venv-servers"
	@.venv-servers/bin/python -m pip install -q -r tests/servers/requirements.txt >.stamps/servers.log 2>&1 || (cat .stamps/servers.log; exit 1)
	@touch $@

.stamps/reader: benchmarks/fidelity/requirements.txt
	@mkdir -p .stamps
	@test -x .venv-reader/bin/python || $(PYTHON) -m venv .venv-reader
	@echo "installing the independent reader of requests into .venv-reader"
	@.venv-reader/bin/python -m pip install -q -r benchmarks/fidelity/requirements.txt >.stamps/reader.log 2>&1 || (cat .stamps/reader.log; exit 1)
	@touch $@

.stamps/peers: benchmarks/requirements.txt benchmarks/requirements-adk.txt benchmarks/package.json
	@mkdir -p .stamps
	@echo "installing the peers into .venv-peers and .venv-adk (two, for they disagree on a dependency)"
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	@test -x .venv-adk/bin/python || $(PYTHON) -m venv .venv-adk
	@.venv-peers/bin/python -m pip install -q -r benchmarks/requirements.txt >.stamps/peers.log 2>&1 || (cat .stamps/peers.log; exit 1)
	@.venv-adk/bin/python -m pip install -q -r benchmarks/requirements-adk.txt >.stamps/peers.log 2>&1 || (cat .stamps/peers.log; exit 1)
	@.venv-peers/bin/python benchmarks/install_npm.py .venv-peers >.stamps/peers.log 2>&1 || (cat .stamps/peers.log; exit 1)
	@touch $@

demo: .stamps/dev ## generate the three catalogs and play the story of one approval
	@$(BIN)/python -m demo

test: .stamps/dev .stamps/servers .stamps/reader lint types ## run every test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

check: .stamps/dev ## prove that generated/ is current
	$(BIN)/toolcharter check

lint: .stamps/dev ## style and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: .stamps/dev ## mypy strict and pyright, generated code included
	$(BIN)/mypy
	$(BIN)/pyright --warnings

soak: .stamps/dev .stamps/servers ## the long runs
	$(BIN)/python -m pytest -n $(WORKERS) -m soak
	$(BIN)/python -m benchmarks.fidelity.wider --workers $(WORKERS)

bench: .stamps/dev .stamps/peers ## figures beside peers, as ratios
	$(BIN)/python -m benchmarks

charters: .stamps/dev ## the charters of tests/charters against the real descriptions in CORPUS
	@$(BIN)/python -m tests.charters "$(FOLDER)"

corpus: .stamps/dev ## every operation of the descriptions in CORPUS, judged by three voices
	@$(BIN)/python -m benchmarks.fidelity "$(FOLDER)" --workers $(WORKERS)

scale: .stamps/dev ## what generating costs by the number of tools, on the descriptions in CORPUS
	@$(BIN)/python -m benchmarks.scale "$(FOLDER)"

lab: .stamps/dev ## one line: what the lab's calls did
	@$(BIN)/python -m benchmarks.lab

clean: ## remove what the targets made
	rm -rf .venv .venv-servers .venv-reader .venv-peers .venv-adk .stamps .demo dist build .hypothesis .import_linter_cache .mypy_cache .ruff_cache .pytest_cache
