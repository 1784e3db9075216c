# Everything a developer types. `make test` installs what the tests need when it
# may (Debian, root), starts it on private ports and runs all tests.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GO         ?= go
# SQLite, C that was translated into Go, is ten times slower when each of its reads
# is watched; its callers are, and it is not ours to check.
UNWATCHED   = modernc.org/sqlite/lib=-race=false

.PHONY: build run test race lint bench soak eval clean

build: ## the program, static
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/maru ./cmd/maru

run:
	$(GO) run ./cmd/maru

test:
	./scripts/test.sh

# A program of the race detector waits a second before it ends, for races that others
# may find still; the tests end hundreds of them.
race: ## the counts of the largest tests are a tenth of those of make test
	GORACE=atexit_sleep_ms=0 ./scripts/test.sh -race -short -parallel 6 -gcflags=$(UNWATCHED) ./cmd/maru ./...

lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt'd:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench:
	./scripts/bench.sh

soak: ## 100 kills during runs with approvals and writes
	MARU_TEST_LONG=1 $(GO) test ./cmd/maru -run '^TestSoak$$' -v -timeout 20m

eval:
	$(GO) run ./cmd/maru eval ../shared/data/korquad1-dev ../shared/data/scifact ../shared/data/ko-law-small
	$(GO) run ./cmd/maru eval --vectors --every 4 ../shared/data/korquad1-dev
	$(GO) run ./cmd/maru eval --vectors ../shared/data/scifact
	$(GO) run ./cmd/maru eval --removed --every 4 ../shared/data/korquad1-dev
	$(GO) run ./cmd/maru eval --removed ../shared/data/scifact
	$(GO) run ./cmd/maru eval --documents handbook/ko --documents handbook/en handbook/testdata/questions.jsonl

clean:
	rm -rf bin data
	./scripts/services.sh down
