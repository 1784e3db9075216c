package outline_test

import (
	"testing"

	"maru/rag/load/outline"
)

// TestTitleOf takes a document's name where its title is the name of what it was made of, and no bullets.
func TestTitleOf(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"loremipsum.jpg": "report", "10811.exe": "report", "□ 공공데이터 개방 표준 분야 목록": "공공데이터 개방 표준 분야 목록", "※ 안내": "안내", "□ ": "report",
		"Node.js": "Node.js", "About photo.jpg": "About photo.jpg", "Microsoft Word - plan.docx": "plan", "- 5 - 보고": "- 5 - 보고", "Untitled": "report",
	} {
		if got := outline.TitleOf(said, "dir/report.pdf", 200); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
