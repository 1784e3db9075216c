package tool_test

import (
	"math/big"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"maru/agent/tool"
)

// TestWantsSaysTheBound: what a value would have to be names its bound, in both languages.
func TestWantsSaysTheBound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   jsonschema.ErrorKind
		en, ko string
	}{
		{&kind.Maximum{Got: big.NewRat(5, 1), Want: big.NewRat(2, 1)}, "must be at most 2", "2 이하여야 해요"},
		{&kind.Minimum{Got: big.NewRat(0, 1), Want: big.NewRat(1, 2)}, "must be at least 0.5", "0.5 이상이어야 해요"},
		{&kind.MinItems{Got: 0, Want: 1}, "must have at least 1 entry", "1개 이상이어야 해요"},
		{&kind.MinProperties{Got: 0, Want: 1}, "must have at least 1 entry", "1개 이상이어야 해요"},
		{&kind.MaxProperties{Got: 40, Want: 30}, "can have at most 30 entries", "30개까지 쓸 수 있어요"},
	} {
		says := tool.Wants(c.kind)
		if says.In("en") != c.en || says.In("ko") != c.ko {
			t.Errorf("%T: %q, %q", c.kind, says.In("en"), says.In("ko"))
		}
	}
}
