# These commands set everything up on a machine with python3, pip, git and make:
#   make demo         solve the 8-puzzle and a user's own game, and look at the results
#   make test         style, types, layers and tests, without the long ones, which check at size what others check
#   make test-all     the long tests as well
#   make test-fast    style, and the tests that compile little: a minute and a half, for daily work
#   make site         the documentation site, in build/site: open build/site/index.html through `make show-site`
#   make package      a wheel and a source distribution, in dist/, tried in an empty environment
# All make their own virtual environment in .venv; `make clean` removes it and all that was built.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/searchbench

# Every file of tests is in one of the two; a folder stands for its files but those named in the other (a test checks it).
DAILY := tests/test_architecture.py tests/test_compile_clock.py tests/test_launch.py tests/test_load.py tests/test_machine.py \
	tests/front/test_api.py tests/front/test_bad_input.py tests/front/test_cli.py tests/front/test_configurations.py \
	tests/front/test_newcomer.py tests/front/test_play.py tests/front/test_search.py tests/front/test_start.py \
	tests/laws/test_passes.py tests/solvers/test_openlist.py tests/store/test_chunks.py tests/web/test_serve.py
COMPILING := tests/front tests/laws tests/learning tests/solvers tests/store tests/web \
	tests/test_by_reference.py tests/test_compression.py tests/test_guards.py tests/test_inherited.py tests/test_mistakes_in_values.py tests/test_jit.py tests/test_predict.py tests/test_reproduce.py tests/test_signatures.py tests/test_spared.py tests/test_written_games.py

.PHONY: demo test test-all types laws test-fast site show-site package clean
.DELETE_ON_ERROR:

demo: .venv/installed
	@mkdir -p build
	$(RUN) solve sliding:3x3 --to build/eight.db --force
	$(RUN) verify build/eight.db
	$(RUN) stats build/eight.db
	$(RUN) find build/eight.db --hardest
	$(RUN) line build/eight.db hardest
	$(RUN) check examples/tokens.py
	$(RUN) solve examples/tokens.py --to build/token.db --force
	$(RUN) verify build/token.db
	$(RUN) probe build/token.db start

test: SHORT := -m "not long"
test test-all: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory -j 2 types laws SHORT='$(SHORT)'
	$(BIN)/pytest -n auto --dist worksteal $(SHORT) tests/solvers
	$(BIN)/pytest -n auto --dist worksteal $(SHORT) --ignore tests/laws --ignore tests/solvers

types: .venv/installed-dev
	$(BIN)/mypy
	$(BIN)/lint-imports

laws: .venv/installed-dev
	$(BIN)/pytest -n auto --dist worksteal $(SHORT) tests/laws

test-fast: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest -n auto --dist worksteal $(DAILY)

site: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site"

show-site: site
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8018

package: .venv/bin/python
	$(BIN)/python .ci/package.py

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
