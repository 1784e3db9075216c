package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of the program, by semantic versioning; CHANGELOG.md has an entry for it.
const release = "0.9.0"

// version returns the release with, if known, the commit as build metadata, such as 0.9.0+1a2b3c4d5e6f.
// Uncommitted changes add ".dirty".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = "+" + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ".dirty"
		}
	}
	if commit == "" {
		return release
	}
	return release + commit + dirty
}

func printVersion(_ context.Context, inv invocation) error {
	if err := nothing(inv); err != nil {
		return err
	}
	_, err := fmt.Fprintf(inv.stdout, "maru %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
