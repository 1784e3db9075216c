package benchwire

import (
	"os"
	"testing"
)

// maxProgram bounds the stripped program, in bytes. docs/scaling.md lists what is in it.
const maxProgram = 72_000_000

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
