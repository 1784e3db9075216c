package pdf_test

import (
	"slices"
	"strings"
	"testing"

	"maru/rag/load/pdf"
)

// TestPDFWordsAcrossLines joins what the end of a line cut, and nothing else.
func TestPDFWordsAcrossLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a_particle":             {"연차는 최대 25일\n까지 받는다.", "연차는 최대 25일까지 받는다."},
		"a_particle_and_a_point": {"기한은 다음 해 3월 말\n까지, 남은 것은 없앤다.", "기한은 다음 해 3월 말까지, 남은 것은 없앤다."},
		"a_word_of_the_page":     {"휴가를 주는 목적으로 한다. 이 규정은 쉼을 목\n적으로 한다.", "휴가를 주는 목적으로 한다. 이 규정은 쉼을 목적으로 한다."},
		"two_words":              {"연차는 해마다 주며 남은\n연차는 이월한다.", "연차는 해마다 주며 남은 연차는 이월한다."},
		"a_word_like_a_particle": {"직원에게 적용되는 것은\n이 규정과 취업규칙이다.", "직원에게 적용되는 것은 이 규정과 취업규칙이다."},
		"behind_a_full_stop":     {"연차는 15일이다.\n까지 이월한다고 한다", "연차는 15일이다. 까지 이월한다고 한다"},
		"English":                {"the second page is about sick\nleave and more", "the second page is about sick leave and more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := pdf.Paragraphs(c.text); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%s", strings.Join(got, "\n"))
			}
		})
	}
}
