# make demo   a small casino day, simulated, replayed and reconciled, in under a minute
# make test   format, lint, types, layers and the whole test suite, with a real Kafka and a real Prefect server
# make bench  speed, measured against other programs on the same rounds
# make bench-day  a casino's day of 25 million events and one long table-day, ten minutes
# make prove  the exhaustive proofs, an hour long
# make torture  kills, flips, forgeries, appends and crosstalk: thousands of cases, and a table of what held
# make soak  a week in 20 minutes: real broker and Prefect server, everything killed, cut and filled; what held
# make lock   resolve the dependencies anew

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
ROOMS := schemas replayer producers analytics flows

# Neither Prefect's server nor its client sends anything home.
export DO_NOT_TRACK := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false
# Compiled modules are kept: the tests start hundreds of processes that import the same ones.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup dev demo test bench bench-day prove torture soak lock clean

help:
	@sed -n 's/^# //p' Makefile | head -8

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11: name a newer one, as in make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# Hashes pin every file; --no-deps because the lock is complete and pip's resolver would only take minutes to agree.
$(RUNTIME): requirements.lock pyproject.toml | $(BIN)/python
	@echo "Setting up .venv (once, about a minute) ..."
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-build-isolation -e .
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib # on all cores, as pip does not; what only tests need is compiled when it is used
	@touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(RUNTIME)

dev: $(DEV)

demo: setup
	@$(BIN)/pitaudit demo

# Five processes share the cores, four of which begin with tests that wait for a server. The column engine in each needs no
# threads beside them; a test holds that verdicts know no threads.
test: dev
	$(BIN)/mypy & types=$$!; \
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/lint-imports && \
	POLARS_MAX_THREADS=1 $(BIN)/pytest -m "not prove" -n 5; others=$$?; wait $$types && exit $$others

bench: dev
	$(BIN)/python tests/bench

bench-day: dev
	POLARS_MAX_THREADS=1 $(BIN)/python tests/bench/day.py

prove: dev
	POLARS_MAX_THREADS=1 $(BIN)/pytest -m prove --timeout=0 -n auto

torture: dev
	$(BIN)/python tests/torture

soak: dev
	$(BIN)/python tests/soak

# uv resolves for every platform at once; it lives in an environment of its own because the project does not need it.
LOCK := $(VENV)/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links pyproject.toml
lock: | $(BIN)/python
	@test -x $(VENV)/uv/bin/uv || { $(PYTHON) -m venv $(VENV)/uv && $(VENV)/uv/bin/pip install --quiet uv; }
	$(LOCK) --extra dev -o requirements-dev.lock > /dev/null
	$(LOCK) --extra build -c requirements-dev.lock -o requirements.lock > /dev/null

clean:
	rm -rf $(VENV) .demo .bench .kafka .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
	find $(ROOMS) tests -name __pycache__ -prune -exec rm -rf {} +
