# Every target sets up what it needs on a machine that has Python 3.11 or newer and make. `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Tests run on all cores; WORKERS=0 runs them in one process, for a debugger. Each process has one thread for
# linear algebra: where there are as many processes as cores, more of them wait for one another for minutes.
WORKERS ?= auto
TESTS ?=
OUT ?= demo

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench paper docs pictures clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY) ## audit and repair the bundled Adult data; writes demo/report.html
	$(BIN)/crossfair demo --out $(OUT)

test: $(READY) ## all tests and doctests, with coverage; TESTS=tests/test_counts.py for some
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --cov --cov-report=term $(TESTS)

check: $(READY) ## lint, formatting, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## apply the formatter and the safe fixes of the linter
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## run the benchmarks; writes docs/benchmarks.md
	$(BIN)/python -m benchmarks

paper: $(READY) ## run the paper's experiments, a minute or two; writes docs/paper.md
	$(BIN)/crossfair reproduce --out docs

docs: $(READY) ## write the pages and the picture in docs/ that come from the program
	$(BIN)/python docs/generate.py

pictures: $(READY) ## write the picture of the demo's page for the README; needs Chromium
	$(BIN)/python docs/pictures.py

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) $(OUT) build dist .coverage* .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip learned dependency groups in 25.1; older ones, as a fresh machine has, are upgraded first.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "crossfair needs Python 3.11 or newer; choose one with: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[all,paper]' --group dev
	@touch $@
