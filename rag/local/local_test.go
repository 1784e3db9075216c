package local_test

import (
	"testing"

	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
)

func open(t *testing.T, cfg local.Config) *local.Index {
	t.Helper()
	x, err := local.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestContractInMemory(t *testing.T) {
	t.Parallel()
	ragtest.Run(t, func(t *testing.T) (rag.Index, func(*testing.T) rag.Index) {
		return open(t, local.Config{}), nil
	})
}

func TestContractOnDisk(t *testing.T) {
	t.Parallel()
	ragtest.Run(t, func(t *testing.T) (rag.Index, func(*testing.T) rag.Index) {
		dir := t.TempDir()
		return open(t, local.Config{Dir: dir}), func(t *testing.T) rag.Index { return open(t, local.Config{Dir: dir}) }
	})
}
