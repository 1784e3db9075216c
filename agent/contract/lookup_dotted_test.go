package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm/extractive"
)

// TestWrongNumberOfALongContract: of many dotted sections people hear from which to which they go.
func TestWrongNumberOfALongContract(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "Section %d. Topic\n\nSection %d.1 Duty. The Supplier acts within %d days.\n\n", i+1, i+1, i+1)
	}
	text.WriteString("Annex A. Prices\nThe rate is 95 dollars.\n")
	d := newDesk(t, extractive.New())
	d.add(home, "Supply agreement.txt", text.String())
	if res, err := d.run(d.request("What does Section 99 say?", "en")); err != nil || !strings.Contains(res.Text, "Section 1.1–Section 12.1, Annex A") {
		t.Errorf("%s %v", res.Text, err)
	}
}
