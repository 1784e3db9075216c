//go:build race

package main

import "errors"

// The race detector's programs do without: compiled for it, the libraries of the
// encoder take longer than the tests.
func openEncoder(string) (encoder, error) {
	return nil, errors.New("a program of the race detector has no encoder")
}
