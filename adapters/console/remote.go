package console

import (
	"flag"
	"io"
	"os"
	"strconv"
	"strings"
)

// Remote readies a process's terminal for a conversation that another process holds, see [Door.Chat], and returns what [Called] reads
// there. undo gives the terminal back.
func Remote(cfg Config) (args []string, undo func()) {
	undo, width, ok := raw(cfg.In, cfg.Out)
	if !ok {
		width, undo = func() int { return 0 }, func() {}
	}
	dir, _ := os.Getwd() // without it, relative paths are those of the other process
	return []string{"--thread=" + cfg.Thread, "--width=" + strconv.Itoa(width()), "--dir=" + dir}, undo
}

// Called adds to cfg what [Remote] says of the caller.
func Called(cfg Config, args []string) (Config, error) {
	f := flag.NewFlagSet("chat", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&cfg.Thread, "thread", "", "")
	f.StringVar(&cfg.Dir, "dir", "", "")
	width := f.Int("width", 0, "")
	if err := f.Parse(args); err != nil {
		return cfg, err
	}
	cfg.Dir = strings.TrimSpace(cfg.Dir)
	if *width > 0 {
		cfg.Width = func() int { return *width }
	}
	return cfg, nil
}
