package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version names the program's build: the module's version, or the commit it
// was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && (v == "" || v == "(devel)") {
			v = s.Value[:12]
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v
}

func printVersion(_ context.Context, inv invocation) error {
	if err := nothing(inv); err != nil {
		return err
	}
	_, err := fmt.Fprintf(inv.stdout, "maru %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
