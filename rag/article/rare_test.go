package article_test

import (
	"testing"

	"maru/rag/article"
)

// TestTitled: a heading of a number alone has its title on the next line, if that is one.
func TestTitled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, next, want string }{
		{"ARTICLE V", "Termination", "ARTICLE V. Termination | Termination"}, {"ARTICLE I", "DEFINITIONS AND TERMS", "ARTICLE I. DEFINITIONS AND TERMS | DEFINITIONS AND TERMS"},
		{"Section 8", "Governing Law and Venue", "Section 8. Governing Law and Venue | Governing Law and Venue"}, {"제12조", "(통지)", "제12조(통지) | 통지"}, {"제12조", "【통지】", "제12조【통지】 | 통지"},
		{"ARTICLE V", "Either party may terminate", ""}, {"ARTICLE V", "Termination.", ""}, {"ARTICLE V", "Section 5.1 Notice", ""}, {"ARTICLE V. Term", "Termination", ""},
		{"제12조", "통지는 서면으로 한다", ""}, {"제12조", "(갑)은 알린다.", ""}, {"제12조(통지)", "(방법)", ""}, {"Annex B", "Price List", ""},
	} {
		h, ok := article.Heading(c.line)
		if !ok {
			t.Fatalf("%q is no heading", c.line)
		}
		got := ""
		if h, ok = h.Titled(c.next); ok {
			got = h.Text + " | " + h.Title
		}
		if got != c.want {
			t.Errorf("%q above %q: %q, want %q", c.line, c.next, got, c.want)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	const text = "2.1 A licence is granted, see 2.2 below.\n2.1.1 One site.\n2.1.2. No transfer.\n2.2 No copies.\n2.10 Audits."
	for number, want := range map[string]string{
		"2-1": "2.1 A licence is granted, see 2.2 below.\n2.1.1 One site.\n2.1.2. No transfer.", "2-1-2": "2.1.2. No transfer.", "2-2": "2.2 No copies.", "2-10": "2.10 Audits.", "2-3": "", "2": "",
	} {
		if got, ok := article.Below(text, number); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", number, got, ok, want)
		}
	}
}
