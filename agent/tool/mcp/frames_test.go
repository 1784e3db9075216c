package mcp

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFramesPutAsideWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	long := `{"long":"` + strings.Repeat("x", 100_000) + `"}` + "\n"
	for name, tt := range map[string]struct{ out, want string }{
		"messages":        {"{\"a\":1}\n [ {\"b\":2}]\r\n", "{\"a\":1}\n [ {\"b\":2}]\r\n"},
		"greeting":        {"Server started\n{\"a\":1}\n", "{\"a\":1}\n"},
		"banner":          {"[dotenv@17.2.0] injecting env (0)\n{\"a\":1}\n", "{\"a\":1}\n"},
		"colours":         {"\x1b[32m✓\x1b[0m ready\n\n{\"a\":1}\n", "{\"a\":1}\n"},
		"log_with_braces": {"2026-11-21 INFO {\"a\":1}\n{\"b\":2}\n", "{\"b\":2}\n"},
		"long":            {"noise\n" + long, long},
		"long_noise":      {"n" + strings.Repeat("{", 100_000) + "\n{}\n", "{}\n"},
		"cut":             {"{\"a\":", "{\"a\":"},
		"nothing":         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var noise strings.Builder
			got, err := io.ReadAll(newFrames(iotest.OneByteReader(strings.NewReader(tt.out)), &noise))
			if err != nil || string(got) != tt.want || noise.Len()+len(got) != len(tt.out) {
				t.Errorf("read %.80q, put aside %.80q, %v", got, noise.String(), err)
			}
		})
	}
}
