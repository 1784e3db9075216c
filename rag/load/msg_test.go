package load_test

import (
	"os"
	"strings"
	"testing"
)

// TestOutlookMessage reads a message that Outlook saved, also without an extension.
func TestOutlookMessage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/outlook.msg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"outlook.msg", "saved"} {
		doc, chunks := mustLoad(t, name, data)
		got := show(chunks)
		if doc.Title != "test" || !strings.Contains(got, "[test] From: Sender, Example / To: Sender, Example / Date: Sun, 17 Nov 2013 21:26:09 +0000 / Test / ") || len(doc.Unread) != 2 || doc.Unread[0].Name != "test.doc" {
			t.Errorf("%q %+v\n%.1500s", doc.Title, doc.Unread, got)
		}
	}
}
