# Every verb sets itself up from Python 3.11 or newer: a virtual environment from pinned, hashed requirements.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
MODEL := .venv/share/cairn/model/minilm-l6-int8.onnx
.DEFAULT_GOAL := help
# Else every worker and every process that a test starts compiles all it loads.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo serve test check lint generate stack scan bench runtime conformance agents frameworks typescript browser plugins faults isolation mutants

help: ## Show the verbs
	@grep -hE '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

demo: $(MODEL) ## Replay a conversation over three sessions through a real MCP client
	@$(BIN)/cairn demo

serve: $(MODEL) ## Run Cairn on this machine, on 127.0.0.1:8787
	@$(BIN)/cairn serve

# The tests of one room are over before a second process would have started.
test: $(MODEL) ## Run every test, or those that ARGS= names
	@PYTHONHASHSEED=0 $(BIN)/pytest -n $(if $(findstring tests/unit/,$(ARGS)),0,auto --maxprocesses 4) --dist worksteal $(ARGS)

check: lint test ## Run all that a commit must pass

lint: .venv/.ready ## Format, lint, types, import contracts, drift of generated files, template
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python tools/generate.py --check
	@$(BIN)/cfn-lint --append-rules cfn_lint_serverless.rules --template template.yaml

generate: .venv/.ready ## Write sample events, reference pages, the template's functions and plugins
	@$(BIN)/python tools/generate.py

conformance: .venv/.ready ## Run the official MCP conformance suite, and a session through every tool by the Inspector (needs npm)
	@$(BIN)/python tools/conformance.py

agents: $(MODEL) ## Run real Claude Code, Codex and Gemini CLI on a stub of a model, connected as a user would (needs npm)
	@AGENTS=1 $(BIN)/pytest tests/agents -p no:cacheprovider

frameworks: .venv/.ready ## Run frameworks' real packages over the adapters in cairn/frameworks, and check the adapters' types against them
	@$(BIN)/python tools/frameworks.py $(ARGS)

typescript: .venv/.ready ## Build, check and test the TypeScript client, with real frameworks, against a `cairn serve` (needs npm)
	@$(BIN)/python tools/typescript.py $(ARGS)

browser: $(MODEL) ## Use the console, and the page for chat clients, in a real Chromium (needs npm; gets Chromium by apt-get)
	@test -x /usr/bin/chromium -a -x /usr/bin/chromedriver || ! command -v apt-get >/dev/null || \
		{ apt-get update -qq && apt-get install -y -qq chromium chromium-driver; } >/dev/null
	@BROWSER=1 $(BIN)/pytest tests/browser -p no:cacheprovider $(ARGS)

plugins: .venv/.ready ## Check plugin, marketplace, extension and bundle by their vendors' own tools (needs npm)
	@PYTHONPATH=tests $(BIN)/python tools/validate_plugins.py

stack: .venv/.ready ## Deploy the template to an AWS emulator on this machine and call it through its API
	@STACK=1 $(BIN)/pytest tests/stack -p no:cacheprovider --durations 5

scan: .venv/.ready ## Scan the template for what a security review would object to
	@$(BIN)/python tools/scan.py

runtime: .venv/.ready ## Run the built functions under Lambda's own runtime and print what their cold starts cost; build layers for each processor
	@PYTHONPATH=layers $(BIN)/python tools/layers.py
	@$(BIN)/python tools/runtime.py

bench: bench-budgets bench-extraction bench-detection ## Print what no machine changes; bench-<name> measures one thing, as bench/<name>.py says

# ARGS=--save keeps the result, DATA= names one or more data sets.
bench-%: $(MODEL)
	@OPENBLAS_NUM_THREADS=1 PYTHONPATH=tools $(BIN)/python bench/$*.py $(if $(DATA),--data $(DATA)) $(ARGS)

faults: .venv/.ready ## Let stores fail and processes die at every call, and find faults planted on purpose
	@PYTHONPATH=tests $(BIN)/python tools/simulate.py

isolation: .venv/.ready ## Have tenants call every tool at once and alone, compare, and find leaks planted on purpose
	@PYTHONPATH=tests $(BIN)/python tools/isolate.py $(if $(SEED),--seed $(SEED))

mutants: .venv/.ready ## Plant 60 faults in the room that ROOM= names, drawn by SEED=, and print those that no test notices
	@PYTHONHASHSEED=0 OPENBLAS_NUM_THREADS=1 $(BIN)/python tools/mutants.py $(if $(SEED),--seed $(SEED)) $(ROOM)

.venv/.ready: requirements-dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Cairn needs Python 3.11 or newer"; exit 1; }
	@echo "Setting up .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# Without it memory is found by its words alone, so that a machine that cannot fetch it goes on, and tries again next time.
$(MODEL): $(addprefix layers/model/,build_model.py bert_graph.py reader_graph.py reader.npz reviewed.py weights.txt) | .venv/.ready
	@echo "Building the embedding model (once)"
	@$(BIN)/python layers/model/build_model.py $(@D) || echo "There is no embedding model: memory is found by its words alone"
