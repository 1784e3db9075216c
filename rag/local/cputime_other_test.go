//go:build !linux

package local_test

import (
	"testing"
	"time"
)

// spent returns the time by the clock where the processor's is not to be had.
func spent(*testing.B, int32) time.Duration { return time.Duration(time.Now().UnixNano()) }

const ofThread, ofProcess = 0, 0
