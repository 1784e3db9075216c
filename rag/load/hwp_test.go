package load_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"maru/datatest"
	"maru/rag/load"
)

// TestHangulDocuments reads the samples of a public reader: text, tables with merged cells, notes, text boxes, several
// sections, and a document for distribution.
func TestHangulDocuments(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"sample-5017.hwp":      {"A0: A1 | B0: B10 B11", "머리말입니다", "이건 각주이지요."},
		"table-caption.hwp":    {"위 캡션"},
		"footnote-endnote.hwp": {"미주참조 / 각주입니다.", "미주 두 번째입니다."},
		"headerfooter.hwp":     {"이것은 머리말입니다.", "이것은 꼬리말입니다."},
		"textbox.hwp":          {"글상자"},
		"viewtext.hwp":         {"배포 문서 예제입니다."},
		"lists.hwp":            {"[lists > 3 > 3-2 > 3-2-1] 3-2-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, name, datatest.File(t, filepath.Join("hwp5", name)))
			got := show(chunks)
			for _, s := range want {
				if !strings.Contains(got, s) {
					t.Errorf("no %q in\n%.1500s", s, got)
				}
			}
		})
	}
	_, _, err := newLoader().Load(t.Context(), "locked.hwp", datatest.File(t, "hwp5/password-12345.hwp"))
	if e := new(load.Error); !errors.As(err, &e) || e.Code != load.Encrypted {
		t.Errorf("a document with a password: %v", err)
	}
}
