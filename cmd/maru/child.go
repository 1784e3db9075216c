package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"maru/rag/load"
)

// childCommand is the hidden subcommand in which foreign files are parsed.
const childCommand = "parse-child"

// parseChild is the whole of such a process: one file in, its passages out.
func parseChild(_ context.Context, inv invocation) error {
	return load.Child(inv.stdin, inv.stdout)
}

// newLoader returns the loader of documents. Foreign formats are parsed by this
// program run again as a child.
func newLoader(maxFile int64, limit time.Duration) (*load.Loader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to run it for parsing files: %w", err)
	}
	return load.New(load.Config{Command: []string{self, childCommand}, MaxBytes: int(maxFile), Timeout: limit}), nil
}
