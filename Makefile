# Targets for developers. `make test` installs the test servers if permitted
# (Debian, root), starts them on private ports and runs all tests.

GO         ?= go
SETS       ?= ../shared/data
# SQLite, C translated into Go, is ten times slower with race instrumentation and checkptr;
# it is third-party code, and its callers stay instrumented. Packages with generic code stay
# instrumented: the linker may keep their instantiation for all users, and without
# instrumentation it causes false reports.
# Race binaries need no debug information: without it they compile a tenth faster, and clients,
# SDKs and our own code without inlining a quarter to a third (go-redis: 29 s to 16), at equal
# test time.
RACE        = -gcflags=all=-dwarf=false -gcflags=github.com/...='-l -dwarf=false' -gcflags=maru/...='-l -dwarf=false' \
              -gcflags=crypto/...='-l -dwarf=false' -gcflags=net/...='-l -dwarf=false' \
              -gcflags=modernc.org/...='-d=checkptr=0 -dwarf=false' \
              -gcflags=modernc.org/sqlite/lib='-race=false -dwarf=false' -gcflags=modernc.org/memory='-race=false -dwarf=false' \
              -gcflags=modernc.org/libc='-race=false -dwarf=false'

.PHONY: build run test race lint bench bench-wire image release soak scorecard long eval real-model clean

# Static and stripped.
BUILD = -trimpath -ldflags "-s -w" -o bin/maru ./cmd/maru

build: ## the program
	CGO_ENABLED=0 $(GO) build $(BUILD)

# go run would say nothing while it compiles. Without bin/maru nothing is asked of Go before the
# first line: it may load modules first.
run: ## compiles what has changed and starts; ARGS are the program's
	@test -x bin/maru && ! CGO_ENABLED=0 $(GO) build -n $(BUILD) 2>&1 | grep -q '^mkdir' || \
		echo "Compiling Maru; the first time takes about two minutes."
	@CGO_ENABLED=0 $(GO) build $(BUILD)
	@exec bin/maru $(ARGS)

test:
	./scripts/test.sh

# A race binary waits a second at exit for late reports by default; the tests start hundreds
# of them.
race: ## without sequential tests, figures, browsers and the largest inputs (make test) and vet (make lint); PACKAGES="./bot/... ./adapters/..." for some
	GORACE=atexit_sleep_ms=0 ./scripts/test.sh -race -vet=off -short -parallel 6 $(RACE) $(PACKAGES)

# On a cold cache these short-lived programs compile and load all imports: garbage
# collection would be a third of staticcheck's work. The limit is above what the largest
# packages need (go-redis, SQLite): below it the collector would not stop.
lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt'd:"; gofmt -l .; exit 1; }
	$(GO) build -o bin/lint ./scripts/lint
	GOGC=off GOMEMLIMIT=2GiB $(GO) vet -vettool=$(CURDIR)/bin/lint ./...

bench:
	./scripts/bench.sh

bench-wire: ## the program from outside, beside bare bots; ARGS="-rounds 3 -for 2s -at 16 -check"
	./scripts/bench-wire.sh $(ARGS)

image: ## needs a Docker engine
	./scripts/image.sh

release: ## archives for Linux and macOS, checksums and bills of materials in dist/
	./scripts/release.sh

soak: ## 100 kills during runs with approvals and writes
	MARU_TEST_LONG=1 $(GO) test ./cmd/maru -run '^TestSoak$$' -v -timeout 20m

scorecard: ## the 109 scenarios of reliability: passed, failed, not run (docs/reliability.md)
	./scripts/scorecard.sh

long: ## every slow check at full size: scorecard with 100 kills, soak, large corpora and models of this machine, figures
	MARU_TEST_LONG=1 ./scripts/scorecard.sh -write docs/reliability.md
	MARU_TEST_LONG=1 ./scripts/test.sh -run 'Soak|Load|Flood|ThreadsAtOnce|DueWork|Large|Kill|Crash|PDF|Cache|Torn|LawFiles' ./cmd/maru ./rag/... ./memory/... ./agent/graph ./agent/chat/chateval
	$(GO) test -tags long -run NewLanguage ./phrase
	MARU_TEST_LONG=1 MARU_TEST_AXE=$$(./scripts/axe.sh) ./scripts/test.sh -run ProgramLooks ./adapters/web
	cd deploy/helm/check && $(GO) test ./...
	$(MAKE) race
	$(MAKE) bench
	test ! -d $(SETS) || $(MAKE) eval

eval: ## needs the public sets in ../shared/data, beside the checkout
	@test -d $(SETS) || { echo "make eval: no sets in $(SETS); put the public sets there or say SETS=DIR (docs/evaluation.md)"; exit 2; }
	$(GO) run ./cmd/maru eval $(SETS)/korquad1-dev $(SETS)/scifact $(SETS)/ko-law-small
	$(GO) run ./cmd/maru eval --vectors --every 4 $(SETS)/korquad1-dev
	$(GO) run ./cmd/maru eval --vectors $(SETS)/scifact
	$(GO) run ./cmd/maru eval --removed --every 4 $(SETS)/korquad1-dev
	$(GO) run ./cmd/maru eval --removed $(SETS)/scifact
	$(GO) run ./cmd/maru eval --documents handbook/ko --documents handbook/en handbook/testdata/questions.jsonl

# Each task is bounded by MARU_RUN_TIMEOUT, the whole by LIMIT: a part that is stopped reports the tasks that it has done.
# The tables go to docs/models.md by hand.
EVERY ?= 1
LIMIT ?= 6h
real-model: build ## tasks of every agent and 24 handbook questions with the model of OPENAI_BASE_URL and OPENAI_MODEL; EVERY=5 asks every fifth task
	timeout $(LIMIT) ./scripts/real-model.sh $(EVERY)

clean:
	rm -rf bin data dist
	./scripts/services.sh down
