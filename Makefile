# `make help` lists the targets. Needs GNU make and python3 (3.11 or newer); everything else goes into .venv from requirements.lock,
# and, for the shared store, which needs another DuckDB, into .venv-lake from requirements-lake.lock.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed
LAKE_VENV := .venv-lake
LAKE_PY := $(LAKE_VENV)/bin/python
LAKE_STAMP := $(LAKE_VENV)/.installed
UV     ?= $(firstword $(shell command -v uv 2>/dev/null) $(wildcard $(VENV)/bin/uv) uv)

# The browser that the page tests drive. Whoever has set FAULTLENS_BROWSER knows best.
FAULTLENS_BROWSER ?= $(shell for b in chromium chromium-browser google-chrome google-chrome-stable; do command -v $$b && break; done 2>/dev/null)
export FAULTLENS_BROWSER

# Two workers: the browser tests share the machine with a server of their own. A file stays on one worker, so that it starts
# its server and its browser once.
PYTEST_ARGS ?= -n 2 --dist loadfile

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help demo install install-lake test test-files test-lake test-lake-short lint bench soak-bench reliability attribution soak lock clean

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-11s %s\n' "$$name" "$$text"; done

demo: install ## load the samples into a throw-away store and open the dashboard
	@$(VENV)/bin/faultlens demo

install: $(STAMP) ## create .venv and install what requirements.lock names

# Runs again only when the lock or the project file changes. The stamp comes last: an interrupted install is repeated.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'pass' 2>/dev/null || { \
	  echo 'faultlens needs python3 (3.11 or newer), and there is no "$(PYTHON)" here. On Debian or Ubuntu:' >&2; \
	  echo '  sudo apt-get update && sudo apt-get install -y python3 python3-venv' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "faultlens needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). On Debian or Ubuntu:" >&2; \
	  echo '  sudo apt-get update && sudo apt-get install -y python3.11 python3.11-venv' >&2; \
	  echo 'then repeat the command with PYTHON=python3.11, for example: make demo PYTHON=python3.11' >&2; exit 1; }
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  v=$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	  echo "faultlens installs into a virtual environment, and this Python cannot make one. On Debian or Ubuntu:" >&2; \
	  echo "  sudo apt-get update && sudo apt-get install -y $$v" >&2; exit 1; }
	@$(PY) -m pip --version >/dev/null 2>&1 || { echo 'Creating $(VENV)' >&2; $(PYTHON) -m venv --clear $(VENV); }
	@echo 'Installing from requirements.lock into $(VENV) (once: about a minute, 1 GB)' >&2
	@$(PY) -m pip install --quiet --require-hashes -r requirements.lock
	@$(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

install-lake: $(LAKE_STAMP) ## create .venv-lake, where faultlens[lake] is installed

$(LAKE_STAMP): requirements-lake.lock pyproject.toml | $(STAMP)
	@$(LAKE_PY) -m pip --version >/dev/null 2>&1 || { echo 'Creating $(LAKE_VENV)' >&2; $(PYTHON) -m venv --clear $(LAKE_VENV); }
	@echo 'Installing from requirements-lake.lock into $(LAKE_VENV) (once: about a minute, 1 GB)' >&2
	@$(LAKE_PY) -m pip install --quiet --require-hashes -r requirements-lake.lock
	@$(LAKE_PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

test: test-files test-lake-short ## lint, types, import contracts, the suite with the browser, and a short pass on a lake

test-files: lint
	@if [ -n "$$FAULTLENS_BROWSER" ]; then \
	  set -x; $(PY) -m pytest $(PYTEST_ARGS); \
	elif [ "$$CI" = true ]; then \
	  echo 'No Chromium found, and CI=true: the browser tests may not be skipped. Install chromium or set FAULTLENS_BROWSER.' >&2; exit 1; \
	else \
	  echo 'No Chromium found: skipping the browser tests. To run them: sudo apt-get install -y chromium (or set FAULTLENS_BROWSER)' >&2; \
	  set -x; $(PY) -m pytest $(PYTEST_ARGS) -m 'not soak and not browser'; \
	fi

# A few tests of each thing that only a lake can get wrong; `make test-lake` and `make soak` run the rest.
LAKE_SHORT := \
  tests/ingest/rollups/test_portions.py::test_are_what_one_portion_leaves_and_what_a_count_gives \
  tests/ingest/bulk/test_otlp.py::test_generated_spans_are_all_regular \
  tests/lake/test_concurrent.py::test_two_processes_that_meet_the_same_new_file_store_it_once \
  'tests/lake/test_concurrent.py::test_an_ingest_that_is_killed_leaves_nothing[commit]' \
  'tests/lake/test_upkeep.py::test_a_forgotten_run_leaves_no_byte_in_files_or_catalogue[same]' \
  tests/lake/test_copy.py::test_the_command_prints_a_line_a_table \
  tests/lake/test_errors.py::test_a_wrong_password_is_named \
  tests/lake/test_errors.py::test_a_user_who_may_only_read_reads_and_is_told_when_it_writes \
  tests/queries/test_portable_lake.py::test_what_was_deleted_in_a_file_is_named_by_its_position
POSTGRES := $(firstword $(wildcard /usr/lib/postgresql/*/bin/initdb) $(shell command -v initdb 2>/dev/null))

test-lake-short: $(if $(POSTGRES),install-lake)
	@if [ -n '$(POSTGRES)' ]; then \
	  set -x; $(LAKE_PY) -m pytest $(PYTEST_ARGS) --store-kind lake $(LAKE_SHORT); \
	elif [ "$$CI" = true ]; then \
	  echo 'No PostgreSQL found, and CI=true: the tests of the shared store may not be skipped. Install postgresql.' >&2; exit 1; \
	else \
	  echo 'No PostgreSQL found: skipping the tests of the shared store. To run them: sudo apt-get install -y postgresql' >&2; \
	fi

test-lake: install-lake ## the shared store: what every store promises, and what only a lake does
	$(LAKE_PY) -m pytest $(PYTEST_ARGS) --store-kind lake tests/lake tests/ingest/store

lint: install ## ruff, mypy and the import contracts, without the tests
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

# For developers, in a minute: make bench BENCH_ARGS=--quick
BENCH_ARGS ?= --write

bench: install ## every promised figure at a million records, with ratios; writes tests/bench/RESULTS.md (half an hour)
	@$(PY) -m tests.bench $(BENCH_ARGS)

soak-bench: install ## the same at ten million records and with a file of five gigabytes (hours, 60 GB of disk)
	@$(PY) -m tests.bench --soak --write

attribution: install ## how often the first origin candidate is the labelled one, beside the baselines (FAULTLENS_LABELLED)
	$(PY) -m tests.attribution

reliability: install ## simulate how often the escalation alert cries wolf and how often it misses
	@$(PY) -m tests.bench.reliability

soak: install install-lake ## the tests that run for minutes, and the suites of stores and queries on a lake
	$(PY) -m pytest -m soak
	$(LAKE_PY) -m pytest $(PYTEST_ARGS) --store-kind lake -m 'soak or not soak' tests/lake tests/ingest tests/queries tests/cli
	$(LAKE_PY) -m pytest -m soak tests/soak/test_lake_served.py tests/soak/test_lake_large.py

# The header is dropped because it repeats the command line. uv.lock names package addresses and is not kept.
lock: ## resolve pyproject.toml again and write both locks (needs uv)
	@command -v $(UV) >/dev/null || { echo 'make lock needs uv: $(PYTHON) -m pip install uv (inside a virtual environment), or pipx install uv' >&2; exit 1; }
	$(UV) lock --upgrade --quiet
	$(UV) export --quiet --frozen --no-emit-project --no-header --group dev --group newest --format requirements.txt --output-file requirements.lock
	$(UV) export --quiet --frozen --no-emit-project --no-header --extra lake --group dev --group object-store --format requirements.txt --output-file requirements-lake.lock

clean: ## remove both environments, caches and build output; stores stay
	rm -rf $(VENV) $(LAKE_VENV) build dist uv.lock test-results .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
