# A thin front to CMake's presets; `make help` lists the targets.

PRESET ?= default
PYTHON ?= python3
PREFIX ?= /usr/local
export GOOGLETEST_DIR ?= /usr/src/googletest

BUILD := $(if $(filter default,$(PRESET)),build,build-$(PRESET))
VENV := .venv
BIN := $(VENV)/bin
CMAKE := $(BIN)/cmake
SOURCES = $(shell find $(wildcard benchmarks examples include lib python \
	test tools) -path '*/Inputs' -prune -o -name '*.cpp' -print -o -name '*.h' -print)

# ninja takes make's job server for its own where it sees one.
unexport MAKEFLAGS MFLAGS

.PHONY: help demo check check-format lint format docs install clean \
  prerequisites build

help:
	@echo 'make demo      import a real model and run the main pipeline on it'
	@echo 'make check     run every test'
	@echo 'make lint      clang-format, clang-tidy, the layers, ruff and mypy'
	@echo 'make format    format the C++ sources'
	@echo 'make docs      make a site of docs/, with MkDocs'
	@echo 'make install   install below PREFIX=$(PREFIX)'
	@echo 'make clean     remove the build; .venv stays'
	@echo
	@echo 'PRESET=default builds with the LLVM wheels of requirements.txt,'
	@echo 'PRESET=debian with the MLIR 22 of Debian. PYTHON=$(PYTHON) makes .venv.'

prerequisites:
	@sh cmake/prerequisites.sh '$(PYTHON)' '$(PRESET)'

$(VENV)/.stamp: requirements.txt | prerequisites
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --requirement requirements.txt
	@touch $@

$(BUILD)/build.ninja: $(VENV)/.stamp CMakePresets.json | prerequisites
	$(CMAKE) --preset $(PRESET) -DGOOGLETEST_DIR='$(GOOGLETEST_DIR)' $(CMAKE_ARGS)
	@touch $@

build: $(BUILD)/build.ninja
	$(CMAKE) --build $(BUILD)

demo: $(BUILD)/build.ninja
	$(CMAKE) --build $(BUILD) --target partita-demo
	@sh examples/demo.sh $(BUILD)

check: build
	$(CMAKE) --build $(BUILD) --target check-partita

# A part of the tests, too: it takes seconds, and lint comes last.
check-format: $(VENV)/.stamp
	@$(BIN)/clang-format --dry-run -Werror $(SOURCES)
	@$(BIN)/ruff check --no-cache --quiet
	@$(BIN)/ruff format --no-cache --quiet --check python test benchmarks cmake docs

lint: build check-format
	$(BIN)/python test/repository/check_layers.py .
	$(BIN)/python cmake/run_clang_tidy.py $(BUILD)
	MYPYPATH=$(BUILD)/python_packages $(BIN)/mypy --cache-dir $(BUILD)/.mypy_cache

format: $(VENV)/.stamp
	$(BIN)/clang-format -i $(SOURCES)

# MkDocs is for this alone.
$(VENV)/.docs-stamp: docs/site/requirements.txt $(VENV)/.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

docs: build $(VENV)/.docs-stamp
	$(CMAKE) --build $(BUILD) --target partita-doc
	PARTITA_PYTHON=$(CURDIR)/$(BUILD)/python_packages NO_MKDOCS_2_WARNING=1 \
	  $(BIN)/python -m mkdocs build --strict --quiet --config-file $(BUILD)/docs/mkdocs.yml
	@echo 'The site is $(BUILD)/docs/site/index.html.'

install: build
	$(CMAKE) --install $(BUILD) --strip --prefix '$(PREFIX)'

clean:
	rm -rf build build-debian
