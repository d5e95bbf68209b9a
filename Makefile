# The two commands of the README are `make demo` and `make test`; both do all the set-up they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
# Where no compiled files may be kept, each of the hundreds of processes that tests start compiles all sources.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo test quick slow check format reference pictures bench chromium strace postgres clean pins

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Said before an environment is made: it would keep its Python, whichever is named later.
TOO_OLD = Twinpress needs Python 3.11 or newer, and $(PYTHON) is %d.%d; name another: make PYTHON=python3.12 $(MAKECMDGOALS)

$(BIN)/twinpress: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "$(TOO_OLD)" % sys.version_info[:2])'
	@echo "Setting up $(VENV), once: this takes about a minute ..."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(BIN)/twinpress
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(BIN)/twinpress ## Build the sample site and show it, with live reload
	$(BIN)/twinpress serve sample-site

PYTEST = $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# Each of the processes of pytest would compile every file of tests when it is new; two halves are soon done.
READ = $(BIN)/python -m pytest --collect-only --quiet

$(VENV)/.read: $(VENV)/.dev
	@echo "Compiling the tests, once ..."
	@$(READ) tests/server > /dev/null & $(READ) --ignore tests/server > /dev/null & wait
	@touch $@

test: $(VENV)/.read chromium strace postgres ## Run the tests (brings Debian's Chromium, strace and PostgreSQL when it can)
	$(PYTEST) -m "not slow"

quick: $(VENV)/.dev ## Run the tests that take a minute: without browser, PostgreSQL and our command
	$(PYTEST) --maxprocesses 2 -m "not slow and not postgres and not browser and not costly"

slow: $(VENV)/.dev chromium strace postgres ## Run the tests that take long: attacks, fuzzers, crashes
	$(PYTEST) -m "slow or hypothesis" --hypothesis-profile=many

check: $(VENV)/.dev ## Run the linters, the type checker and the layer rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reference: $(VENV)/.dev ## Write the generated pages of the sample site again
	$(BIN)/python -m components.reference sample-site/docs/components
	$(BIN)/python -m builder.reference sample-site/docs
	$(BIN)/python -m server.authoring.reference sample-site/docs
	$(BIN)/python -m server.databases.database_reference sample-site/docs

pictures: $(VENV)/.dev chromium postgres ## Take the screenshots of the guide again
	$(BIN)/python -m tests.server.service.pictures

bench: $(VENV)/.dev ## Measure a cold build, the preview, both APIs, published sites, and the search
	$(BIN)/python -m tests.bench.build
	$(BIN)/python -m tests.bench.preview
	$(BIN)/python -m tests.bench.api
	$(BIN)/python -m tests.bench.databases
	$(BIN)/python -m tests.bench.sites
	$(BIN)/python -m tests.bench.publish
	$(BIN)/python -m tests.bench.search

chromium:
	@bash .ci/chromium

strace:
	@bash .ci/strace

postgres:
	@bash .ci/postgres

clean: ## Remove everything that the other commands made
	rm -rf $(VENV) dist sample-site/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

pins: $(VENV)/.dev ## Write the versions that CI tests with again
	$(BIN)/python .ci/pins.py > $(VENV)/pins
	mv $(VENV)/pins requirements-dev.txt
