# All set-up logic is in dev.py; `python dev.py` does the same where there is no make. Words for it go in ARGS: make demo ARGS=--json
PYTHON ?= python3
.PHONY: setup demo test lint check bench lock

setup: ; @$(PYTHON) dev.py setup $(ARGS)
demo: ; @$(PYTHON) dev.py demo $(ARGS)
test: ; @$(PYTHON) dev.py test $(ARGS)
lint: ; @$(PYTHON) dev.py lint $(ARGS)
check: ; @$(PYTHON) dev.py check $(ARGS)
bench: ; @$(PYTHON) dev.py bench $(ARGS)
lock: ; @$(PYTHON) dev.py lock $(ARGS)
