// Package servers finds the Redis and PostgreSQL that tests need: those that
// scripts/services.sh started (MARU_TEST_REDIS_URL, MARU_TEST_POSTGRES_URL),
// else private ones of the test process, from the binaries on this machine.
// Where there are none the test is skipped, or fails when MARU_TEST_REQUIRE=1.
//
// A server is shared by all tests: each works in a schema or under a key prefix
// of its own ([Name]) and never flushes. Tests that stop, freeze or empty a
// server start one for themselves ([StartRedis], [StartPostgres]).
//
// It knows no store and no driver.
package servers

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"sync"
	"testing"
)

// Redis returns the URL of a Redis to share.
func Redis(t testing.TB) string {
	t.Helper()
	if url := os.Getenv("MARU_TEST_REDIS_URL"); url != "" { //nolint:forbidigo // part of the test suite
		return url
	}
	return sharedRedis.use(t, StartRedis).URL
}

// Postgres returns the URL of a PostgreSQL to share.
func Postgres(t testing.TB) string {
	t.Helper()
	if url := os.Getenv("MARU_TEST_POSTGRES_URL"); url != "" { //nolint:forbidigo // part of the test suite
		return url
	}
	return sharedPostgres.use(t, StartPostgres).URL
}

// PGVector returns the URL of a PostgreSQL with the pgvector extension, for the
// tests of SQL that needs it. It may be PGlite, which serves all its connections
// by one backend: no COPY, no second transaction while one is open, and settings
// of a session are everybody's.
func PGVector(t testing.TB) string {
	t.Helper()
	url := os.Getenv("MARU_TEST_PGVECTOR_URL") //nolint:forbidigo // part of the test suite
	if url == "" {
		missing(t, "pgvector", "run `eval \"$(scripts/services.sh up)\"`, which needs node and npm, or set MARU_TEST_PGVECTOR_URL")
	}
	return url
}

// OpenSearch returns the address of a running OpenSearch that all tests share: each uses an index of its own.
func OpenSearch(t testing.TB) string {
	t.Helper()
	url := os.Getenv("MARU_TEST_OPENSEARCH_URL") //nolint:forbidigo // part of the test suite
	if url == "" {
		missing(t, "OpenSearch", "run `eval \"$(scripts/services.sh up)\"`, which needs a JDK and maven, or set MARU_TEST_OPENSEARCH_URL")
	}
	return url
}

// Name returns a name for a test's schema or key prefix that no other test has.
func Name() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // it never fails
	return "t" + hex.EncodeToString(b)
}

// missing ends a test that needs something this machine has not.
func missing(t testing.TB, what, remedy string) {
	t.Helper()
	text := what + " is not installed; " + remedy
	if os.Getenv("MARU_TEST_REQUIRE") == "1" { //nolint:forbidigo // part of the test suite
		t.Fatal(text)
	}
	t.Skip(text)
}

// shared is a server that lives as long as any test uses it.
type shared struct {
	mu    sync.Mutex
	users int
	srv   *Server
}

var sharedRedis, sharedPostgres shared

// use starts the server for the first user and stops it after the last. The
// starter's own clean-up is put off until then.
func (s *shared) use(t testing.TB, start func(testing.TB) *Server) *Server {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.srv == nil {
		s.srv = start(keeper{t, s})
	}
	s.users++
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users--; s.users == 0 {
			s.srv.remove()
			s.srv = nil
		}
	})
	return s.srv
}

// keeper is the test that happens to start a shared server; the server outlives
// it.
type keeper struct {
	testing.TB
	*shared
}

// Cleanup drops the data instead of shared.use.
func (keeper) Cleanup(func()) {}
