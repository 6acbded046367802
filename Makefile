# The targets of everyday work; `make` alone lists them.

GO      ?= go
# The same flags in all steps: a package is compiled once.
export CGO_ENABLED ?= 0
export GOFLAGS     ?= -trimpath
# A hook of git names its repository to all that it starts; the tests have their own.
unexport GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 5s

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-18s %s\n", $$1, $$2}'

.PHONY: build
build: ## build bin/ralph
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/ralph ./cmd/ralph

.PHONY: fleet
fleet: ## build bin/ralph-fleet
	cd fleet && CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o ../bin/ralph-fleet ./cmd/ralph-fleet

.PHONY: fleet-dev
fleet-dev: fleet ## build bin/ralph-fleet-dev, with Temporal's server; takes minutes
	@# The flags of the tests: other ones would build all of the server a second time.
	cd fleet/dev && $(GO) build -ldflags "-s -w" -o ../../bin/ralph-fleet-dev ./cmd/ralph-fleet-dev

.PHONY: demo
demo: build ## watch a whole loop on a scratch repository, without any agent installed
	./bin/ralph demo

.PHONY: setup
setup: ## install what the tests need, from apt-get or brew, and npm
	sh tests/setup

# Most tests wait for a process: four at a time keep two cores busy. The time limit is for
# each package: a machine with other work to do needs much of it.
.PHONY: test
test: build setup ## run all tests
	$(GO) test -parallel 4 -timeout 45m ./...
	$(MAKE) -j3 lies-sample bats test-fleet

.PHONY: test-short
test-short: ## run the tests that play no whole runs, in less than a minute
	$(GO) test -short ./...

# The packages that start goroutines of their own.
RACY = $(shell grep -rl --include='*.go' -e 'go func' -e '[.]Go.[a-z]' internal | grep -v _test.go | \
	xargs -n1 dirname | sort -u | sed 's,^,./,')

.PHONY: race
race: ## run the tests of the packages with goroutines under the race detector
	CGO_ENABLED=1 $(GO) test -race -timeout 45m $(RACY)

.PHONY: test-fleet
test-fleet: ## run the fleet's tests that need no server
	cd fleet && $(GO) test ./...

# Building Temporal's server takes some ten minutes of CPU: these are no part of
# `make test`. go vet would look at every package of it, and stays away. -count=1: what
# they read of fleet/ is in no key of the cache.
.PHONY: test-fleet-server
test-fleet-server: build ## run the fleet against a real Temporal server
	cd fleet/dev && $(GO) test -count=1 -vet=off -timeout 30m ./...

.PHONY: test-agents
test-agents: ## run all five real agents against model APIs on loopback; UPGRADE=1 tries their newest versions
	GO="$(GO)" UPGRADE="$(UPGRADE)" sh tests/agents/try

.PHONY: bats
bats: build ## run the tests that need a real shell
	RALPH_TEST_BUILD=1 RALPH_BINARY="$(CURDIR)/bin/ralph" tests/node_modules/bats/bin/bats tests/bats

.PHONY: lies
lies: build ## play lying and honest agents, and tell how many were believed
	$(GO) run ./tests/lies

MIRRORS ?=

.PHONY: histories
histories: build ## make commits of real repositories again, from mirrors in MIRRORS=FOLDER
	$(GO) run ./tests/lies -mirrors "$(or $(MIRRORS),$(error MIRRORS is the folder with the mirrors))"

.PHONY: planted
planted: build ## undo the work of these commits and weaken their tests: how many does ralph find?
	$(GO) run ./tests/lies -planted -mirrors "$(or $(MIRRORS),$(error MIRRORS is the folder with the mirrors))"

.PHONY: proof-cost
proof-cost: build ## measure what an accepted story costs in projects of 200 tests
	$(GO) run ./tests/lies -cost -row defaults

ITERATIONS ?= 1000000
SEED ?= 1

.PHONY: lies-sample
lies-sample: build
	$(GO) run ./tests/lies -sample 24

.PHONY: sim
sim: ## simulate ITERATIONS (1000000) iterations from SEED (1), with deaths at any event, against the invariants
	$(GO) run ./tests/sim -seed $(SEED) -iterations $(ITERATIONS)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (5s)
	sh tests/fuzz "$(FUZZTIME)"

.PHONY: bench
bench: build ## compare ralph with the least that the same work costs; RECORD=1 keeps the figures
	$(GO) run ./tests/bench $(if $(RECORD),-record)

FEATURES ?= 1000

.PHONY: fleet-bench
fleet-bench: build fleet-dev ## have three workers do FEATURES (1000) features of the replay agent; takes half an hour
	cd fleet/dev && $(GO) run ./bench -features $(FEATURES)

ROUNDS ?= 500
CHAOSTIME ?= $(if $(filter 500,$(ROUNDS)),3m,0)
SEED ?= 0
DEAD ?= 2s

.PHONY: chaos
chaos: build ## kill ralph in every way, ROUNDS (500, at most 3m) times; SEED=N plays an earlier run again
	$(GO) run ./tests/chaos -rounds "$(ROUNDS)" -for "$(CHAOSTIME)" -seed "$(SEED)" -dead "$(DEAD)"

.PHONY: picture
picture: build ## record docs/demo.svg anew; needs tmux
	sh docs/picture/record

.PHONY: man
man: build ## write man pages and completions below bin/share, for packages
	rm -rf bin/share
	mkdir -p bin/share/man/man1 bin/share/man/man7 bin/share/completion
	./bin/ralph __man bin/share/man "$$(git log -1 --format=%cs 2>/dev/null || date +%F)"
	mv bin/share/man/*.1 bin/share/man/man1/
	mv bin/share/man/*.7 bin/share/man/man7/
	./bin/ralph completion bash >bin/share/completion/ralph.bash
	./bin/ralph completion zsh >bin/share/completion/_ralph
	./bin/ralph completion fish >bin/share/completion/ralph.fish

# Built by the module proxy in some minutes, once; a goreleaser of your own does as well.
GORELEASER ?= $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0

.PHONY: release-check
release-check: ## check .goreleaser.yaml with goreleaser
	$(GORELEASER) check

.PHONY: snapshot
snapshot: ## make all of a release below dist/ and publish nothing
	$(GORELEASER) release --snapshot --clean

.PHONY: lint
lint: ## gofmt, vet, staticcheck, shellcheck, the language of texts
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	cd fleet && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./...
	shellcheck install.sh uninstall.sh tests/setup tests/fresh tests/fuzz docs/picture/record .ci/run \
		packaging/action/step packaging/homebrew/formula packaging/devcontainer/src/ralph/install.sh internal/completion/ralph.bash
	$(GO) run ./tests/messages -check
