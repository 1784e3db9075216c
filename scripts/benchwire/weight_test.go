package benchwire

import (
	"os"
	"testing"
)

// maxProgram bounds the stripped program, in bytes; the goal is 72 MB. docs/scaling.md lists its parts.
const maxProgram = 78_000_000

// TestWireWeight prints the size of the program.
func TestWireWeight(t *testing.T) {
	measures(t)
	file, err := os.Stat(*program)
	if err != nil {
		t.Fatalf("%v; make bench-wire builds it", err)
	}
	if say("the program has %.1f MB", float64(file.Size())/1e6); file.Size() > maxProgram {
		t.Errorf("the program has %d bytes, limit %d", file.Size(), maxProgram)
	}
}
