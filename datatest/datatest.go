// Package datatest finds the public data sets on which some tests measure what
// they test. They are too large to be in the repository; without them such a
// test is skipped. It also lets tests take a part of a set, or do less, in a run
// that must be short. The package knows no data set and nothing of ours.
package datatest

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder of the data sets, one folder a set. Without it the test
// is skipped with a word about what to do.
func Dir(t testing.TB) string {
	t.Helper()
	dir, ok := Find()
	if !ok {
		t.Skip("no data sets: set MARU_SHARED_DATA to their folder, or put it at shared/data beside the checkout")
	}
	return dir
}

// File reads a file of the data sets, such as "blns/blns.json". Without it the
// test is skipped.
func File(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(Dir(t), filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		t.Skipf("the data sets have no %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Find is [Dir] for tests that can do without: the folder that MARU_SHARED_DATA names,
// else the nearest shared/data above the working directory.
func Find() (dir string, ok bool) {
	if dir := os.Getenv("MARU_SHARED_DATA"); dir != "" {
		return dir, true
	}
	at, err := filepath.Abs(".")
	for err == nil {
		dir = filepath.Join(at, "shared", "data")
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, true
		}
		if at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return "", false
}

// Short reports whether the test run is -short, as the race detector's is, to a test that then does less. It marks the
// test, so that scripts/test.sh knows that it has not run in full. A test that does nothing in such a run asks
// testing.Short and skips itself.
func Short(t testing.TB) bool {
	t.Helper()
	if testing.Short() {
		t.Attr("short", "does less")
	}
	return testing.Short()
}

// Thin returns every n-th of a large set in a [Short] run, and all of it otherwise.
func Thin[T any](t testing.TB, all []T, n int) []T {
	t.Helper()
	if Short(t) {
		return every(all, n)
	}
	return all
}

// Sample returns every n-th of a set that takes long to go through, and all of it with MARU_TEST_LONG set (make long).
func Sample[T any](all []T, n int) []T {
	if os.Getenv("MARU_TEST_LONG") != "" {
		return all
	}
	return every(all, n)
}

func every[T any](all []T, n int) (out []T) {
	for i := 0; i < len(all); i += n {
		out = append(out, all[i])
	}
	return out
}
