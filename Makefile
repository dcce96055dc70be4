# `make demo` and `make test` do all the set-up on a machine with Python, venv and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check deep bench clean

demo: $(READY)
	$(BIN)/squadbuilder solve data/deals/farro-mirage.yaml

test: $(READY)
	$(BIN)/python -m pytest -n auto

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_data.py
	$(BIN)/python -m pytest -n auto --cov --cov-report= --ignore tests/test_data.py
	$(BIN)/python tests/coverage_gate.py

deep: $(READY)
	$(BIN)/python -m pytest -n auto -m "deep or not deep"

bench: $(READY)
	$(BIN)/python tests/bench.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .coverage dist

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)
