# Two commands on a fresh machine: `make demo` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# `make serve` opens the searcher's page on the demonstration collection.
.PHONY: demo serve test quick fuzz check bench docs kernels format clean cluster demo-cluster

demo: $(READY)
	$(BIN)/antecede demo

serve: $(READY)
	$(BIN)/antecede demo --serve

test: check
	$(BIN)/pytest --numprocesses auto --dist worksteal

# The inner loop: without a browser, a cluster, killed processes, generated inputs and the documented commands.
quick: check
	$(BIN)/pytest --numprocesses auto --dist worksteal -m 'not (browser or cluster or kill or fuzz or docs)'

# The random search, with new seeds; MINUTES=60 goes on for an hour.
MINUTES ?= 20
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Three nodes of OpenSearch on this machine, from Maven Central (needs Java 17 and Maven); Ctrl-C stops them.
cluster: $(READY)
	$(BIN)/python -m tests.opensearch.local_cluster

# The same runs on such a cluster and in a folder, compared byte by byte.
demo-cluster: $(READY)
	$(BIN)/python -m tests.opensearch.demonstration

# Lucene and Terrier are fetched from Maven Central if Java 17 and Maven are there; without them they are left out.
bench: $(READY) $(VENV)/.bench
	$(BIN)/python bench/run.py

docs: $(READY)
	$(BIN)/python -m docs.site.build

# The bitcode of compiled loops that were changed (src/antecede/text/bitcode.py).
kernels: $(READY)
	$(BIN)/python -m tests.text.kernels

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

# PISA has an environment of its own, as its requirements are too old; where it cannot be installed it is left out.
$(VENV)/.bench: $(READY) bench/pisa-requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	-$(BIN)/python -m venv --without-pip $(VENV)/pisa && $(BIN)/python -m pip --python $(VENV)/pisa/bin/python install \
	    --quiet --disable-pip-version-check --no-deps --only-binary :all: --requirement bench/pisa-requirements.txt
	touch $@
