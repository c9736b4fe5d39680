# Everything `make run` and `make test` need is installed into .venv on first use, pinned and hashed by
# requirements.lock; afterwards both start at once. More words for a command go into ARGS: make test ARGS="-k lookup"
# Tests run on every core; ARGS="-n 0" runs them in one process, where a debugger works.
PYTHON ?= python3
ARGS ?=

PY := .venv/bin/python
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(PY) -m pip install --quiet
# A lock is only ever installed as it stands: by hash, nothing besides, and never by building what downloads more.
PIP_LOCKED := $(PIP) --require-hashes --no-deps --only-binary :all:
OFFSCREEN := QT_QPA_PLATFORM=offscreen

.DEFAULT_GOAL := help
.PHONY: run test all-tests arithmetics other-pythons real-window bare-wheel soak check truth bench coverage train gallery install-desktop uninstall-desktop lock clean help FORCE

run: .venv/.libraries ## open the window; without a display, draw every page into build/gallery
	@$(PY) -m attention_explorer run --without-display build/gallery $(ARGS)

test: .venv/.libraries ## run the quick tests, off-screen, in three minutes: make test ARGS="-k lookup"
	@$(OFFSCREEN) $(PY) -m pytest -n auto --quick $(ARGS)

all-tests: .venv/.libraries ## run every test, which takes half an hour on two cores
	@$(OFFSCREEN) $(PY) -m pytest -n auto $(ARGS)

arithmetics: .venv/.libraries ## run the tests of arithmetic as every other processor would sum
	@$(PY) -m tests.arithmetics

other-pythons: .venv/.libraries ## run the quick tests under every other Python that is installed, from 3.11 on
	@$(PY) -m tests.other_pythons

real-window: .venv/.libraries ## drag q by X events in the real window, and compare what is drawn (Xvfb, xdotool)
	@if command -v apt-get >/dev/null && test "`id -u`" = 0 && ! { command -v Xvfb && command -v xdotool; } >/dev/null; then \
	  echo "Installing the Debian packages xvfb and xdotool, a display and a hand without a screen."; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends xvfb xdotool >/dev/null; } || true; \
	fi
	@$(PY) -m tests.real_window

bare-wheel: .venv/.libraries ## build the wheel, and type a class's commands where nothing else is installed
	@$(PY) -m tests.bare_wheel

soak: .venv/.libraries ## let a clumsy user loose on the window for long: make soak ARGS="--seed 7 --minutes 10"
	@$(OFFSCREEN) PYTHONHASHSEED=0 PYTHONPATH=.:tests:tests/ui $(PY) -m soak $(ARGS)

check: .venv/.installed ## lint, formatting, types, and who may import whom
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy
	@$(PY) .venv/bin/lint-imports

truth: .venv/.installed ## compare the model layer with loops, references and PyTorch: make truth ARGS="--cases 200 --seed 1"
	@$(PY) -m tests.truth $(ARGS)

bench: .venv/.bench .venv/.libraries ## measure arithmetic and drawing (installs Matplotlib as the yardstick)
	@$(OFFSCREEN) $(PY) -m benchmarks $(ARGS)

coverage: .venv/.bench .venv/.libraries ## run the tests, and say which branches they take: make coverage ARGS=--quick
	@mkdir -p build
	@$(OFFSCREEN) COVERAGE_FILE=build/.coverage $(PY) -m pytest -n auto --cov=attention_explorer --cov-branch \
	  --cov-report=term:skip-covered --cov-report=json:build/coverage.json $(ARGS)

train: .venv/.installed ## learn the models in the box again: resources/models
	@$(PY) -m benchmarks.box

gallery: .venv/.libraries ## draw every page into build/gallery
	@$(PY) -m attention_explorer gallery build/gallery $(ARGS)

install-desktop: .venv/.libraries ## put the program into the desktop's menu, for you alone, with its icon and file type
	@$(PY) -m attention_explorer.desktop install

uninstall-desktop: .venv/.installed ## take that away again
	@$(PY) -m attention_explorer.desktop uninstall

clean: ## remove .venv, build and caches
	rm -rf .venv build attention_explorer.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find $(wildcard attention_explorer benchmarks resources tests) -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'

# Four stamps, each written as the last act of its recipe, so that whatever was interrupted is done again.
#   .created    the empty environment; says where it lies and for which Python, because it serves nowhere else
#   .installed  requirements.lock and this project
#   .libraries  the system libraries Qt opens
#   .bench      requirements-bench.lock
STALE := $(shell test "`cat .venv/.created 2>/dev/null`" = "`pwd -P` `$(PY) -V 2>/dev/null`" || echo FORCE)

.venv/.created: $(STALE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Attention Explorer needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) -V 2>/dev/null || echo missing`." \
	    "Name another one: make $(MAKECMDGOALS) PYTHON=python3.13" >&2; exit 1; }
	@# An environment that already has a whole pip is kept. Debian gives out python3 without the modules that make one.
	@if test -e .venv/.unfinished || ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  if ! $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null && command -v apt-get >/dev/null; then \
	    test "`id -u`" = 0 || { \
	      echo "$(PYTHON) lacks its venv module. Type: sudo apt-get install python3-venv" >&2; exit 1; }; \
	    echo "Installing the Debian package python3-venv, which makes Python environments."; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv >/dev/null || exit 1; \
	  fi; \
	  $(PYTHON) -m venv --clear --without-pip .venv && touch .venv/.unfinished && \
	  $(PY) -m ensurepip >/dev/null && rm .venv/.unfinished; \
	fi
	@echo "`pwd -P` `$(PY) -V`" >$@

.venv/.installed: requirements.lock pyproject.toml .venv/.created
	@echo "Installing what requirements.lock names into .venv (about 155 MB the first time)."
	@$(PIP_LOCKED) -r requirements.lock
	@$(PIP) --no-index --no-deps --no-build-isolation -e .
	@touch $@

.venv/.libraries: .venv/.installed
	@$(PY) -m attention_explorer.platform_check --install
	@touch $@

.venv/.bench: requirements-bench.lock .venv/.installed
	@$(PIP_LOCKED) -r requirements-bench.lock
	@touch $@

# The locks hold for every Python from 3.11 on and every system at once. Versions stay as they are where
# pyproject.toml still allows them; make lock ARGS=--upgrade takes the newest.
PYPROJECT := $(PY) -c 'import sys, tomllib; \
  print(*tomllib.load(open("pyproject.toml", "rb"))[sys.argv[1]][sys.argv[2]], sep="\n")'
UV_COMPILE := $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock" $(ARGS)

lock: .venv/.created ## write requirements.lock and requirements-bench.lock anew from pyproject.toml
	@$(PYPROJECT) dependency-groups lock | $(PIP) -r /dev/stdin
	@$(PYPROJECT) build-system requires | \
	  $(UV_COMPILE) pyproject.toml - --extra models --group test --group check --output-file requirements.lock
	@$(UV_COMPILE) --group pyproject.toml:bench --constraints requirements.lock --output-file requirements-bench.lock
	@! grep -nE '^ *-[^-]|://|^--' requirements.lock requirements-bench.lock
