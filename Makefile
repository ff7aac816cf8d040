# Two commands set everything up on a machine with python3, pip, git and make:
#   make demo    solve the 8-puzzle and a user's own game, and look at the results
#   make test    style, types, layers and tests
# Both make their own virtual environment in .venv; `make clean` removes it and all that was built.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/searchbench

.PHONY: demo test clean
.DELETE_ON_ERROR:

demo: .venv/installed
	@mkdir -p build
	$(RUN) solve sliding:3x3 --to build/eight.db --force
	$(RUN) verify build/eight.db
	$(RUN) stats build/eight.db
	$(RUN) find build/eight.db --hardest
	$(RUN) line build/eight.db hardest
	$(RUN) check examples/token.py
	$(RUN) solve examples/token.py --to build/token.db --force
	$(RUN) verify build/token.db
	$(RUN) probe build/token.db start

test: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --dist loadfile tests/laws
	$(BIN)/pytest -n auto --dist loadfile tests/solvers
	$(BIN)/pytest -n auto --dist loadfile --ignore tests/laws --ignore tests/solvers

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf src/*.egg-info

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[web]"
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ .venv/installed
