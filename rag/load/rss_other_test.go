//go:build !unix

package load_test

// largestChild is not known here.
func largestChild() int64 { return 0 }
