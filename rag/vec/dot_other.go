//go:build !amd64

package vec

func dot(a, b []int8) int32 { return dotGo(a, b) }
