# Two commands on a fresh machine: `make demo` and `make test`. Each installs what it needs, and no more, into .venv.
PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PROGRAM := $(VENV)/.program
TOOLS   := $(VENV)/.tools
PEERS   := $(VENV)/.peers
WARM    := $(VENV)/.warm
PYTEST  := $(BIN)/pytest --dist worksteal --numprocesses
CORES   := $(shell $(PYTHON) -c 'import os; print(os.cpu_count())')
CHECK   := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports
QUICK   := not browser and not cluster and not kill and not fuzz and not docs and not slow

# The tests start hundreds of processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

# `make serve` opens the searcher's page on the demonstration collection.
.PHONY: demo serve ready test quick fuzz freeze check newest oldest bench bench-screening docs format clean cluster demo-cluster
.NOTPARALLEL:  # the set-ups share one environment

demo: $(PROGRAM)
	$(BIN)/antecede demo

serve: $(PROGRAM)
	$(BIN)/antecede demo --serve

# The checks; and beside them, once, what each process of the tests would otherwise compile for itself.
ready: $(TOOLS)
	{ test -e $(WARM) || $(BIN)/python -m tests.preparation && touch $(WARM); } & $(CHECK) && wait $$!

# Two processes more than processors: tests of the browser and the cluster mostly wait.
test: ready
	$(PYTEST) $$(($(CORES) + 2))

# The inner loop: without a browser, a cluster, killed processes, generated inputs, the documented commands and what is slow.
quick: ready
	$(PYTEST) $(CORES) -m '$(QUICK)'

# The random search, with new seeds; MINUTES=60 goes on for an hour.
MINUTES ?= 20
fuzz: $(TOOLS)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

# What a rebuild must not change; after an intended change: python -m tests.freeze --record
freeze: $(TOOLS)
	$(BIN)/python -m tests.freeze

check: $(TOOLS)
	$(CHECK)

# The quick tests with the newest and with the oldest releases that pyproject.toml allows, in environments of their own.
newest oldest:
	$(PYTHON) -m venv --clear $(VENV)-$@
	$(PYTHON) .ci/bounds.py $@ > $(VENV)-$@/constraints.txt
	$(VENV)-$@/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(VENV)-$@/constraints.txt \
	    --editable '.[tests]'
	$(VENV)-$@/bin/pytest -m "$(QUICK)" --numprocesses auto --dist worksteal

# Three nodes of OpenSearch on this machine, from Maven Central (needs Java 17 and Maven); Ctrl-C stops them.
cluster: $(PROGRAM)
	$(BIN)/python -m tests.opensearch.local_cluster

# The same runs on such a cluster and in a folder, compared byte by byte.
demo-cluster: $(TOOLS)
	$(BIN)/python -m tests.opensearch.equal_runs --shards 3 --only default "method full" "method tfidf" "method lmipc" "method qr"

# Lucene and Terrier are fetched from Maven Central if Java 17 and Maven are there; without them they are left out.
bench: $(PEERS)
	$(BIN)/python bench/run.py

# Simulated screenings beside the newest ASReview, which has an environment of its own.
bench-screening: $(PROGRAM) $(VENV)/asreview
	$(BIN)/python -P bench/screening.py $(FILES)

$(VENV)/asreview: | $(BIN)/python
	$(BIN)/python -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check asreview || { rm -rf $@; exit 1; }

docs: $(TOOLS)
	$(BIN)/python -m docs.site.build $(ARGS)

format: $(TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-newest $(VENV)-oldest .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(PROGRAM): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(TOOLS): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable '.[dev]'
	touch $@ $(PROGRAM)

# PISA has an environment of its own, as its requirements are too old; where it cannot be installed it is left out.
$(PEERS): pyproject.toml constraints.txt bench/pisa-requirements.txt | $(BIN)/python
	$(PIP) --editable '.[bench]'
	-$(BIN)/python -m venv --without-pip $(VENV)/pisa && $(BIN)/python -m pip --python $(VENV)/pisa/bin/python install \
	    --quiet --disable-pip-version-check --no-deps --only-binary :all: --requirement bench/pisa-requirements.txt
	touch $@ $(PROGRAM)
