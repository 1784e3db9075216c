//go:build unix

package load_test

import "syscall"

// largestChild is the memory in bytes that the largest child so far has held.
func largestChild() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}
