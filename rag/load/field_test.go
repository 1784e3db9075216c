package load_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFieldReports reads the files of public reports about bots that could not read them: testdata/field, numbered as
// in their index. Each has the words that answer its question in one passage.
func TestFieldReports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want, not string }{
		"18_main_part_of_another_name": {file: "word-online.docx", want: "안내 데스크"},
		"19_another_prefix":            {file: "other-prefix.docx", want: "18:45"},
		"21_backslashes":               {file: "backslash-paths.xlsx", want: "3동 선반 12"},
		"22_turned_page":               {file: "rotated-page.pdf", want: "cabinet K17"},
		"23_fake_bold":                 {file: "fake-bold-letters.pdf", want: "45 working days"},
		"24_filled_form":               {file: "filled-form.pdf", want: "KX 4471"},
		"25_hyphens":                   {file: "hyphen-ligature.pdf", want: "damage"},
		"25_hyphens_again":             {file: "hyphen-ligature.pdf", want: "conference"},
		"26_zero_width":                {file: "zero-width.md", want: "7만원"},
		"27_yaml":                      {file: "server.yaml", want: "retry_minutes: 17"},
		"27_program":                   {file: "backup.py", want: "38 days in vault B"},
		"27_rst":                       {file: "guide.rst", want: "[Guide] The projector code is 8842."},
		"27_xml":                       {file: "catalog.xml", want: "part.name: Gasket ring / part.shelf: R19"},
		"28_lines_above_the_header":    {file: "erp-export.csv", want: "사번: 1008 | 이름: 유단비"},
		"35_slack_export":              {file: "slack-export.zip", want: "[slack-export > #general > 2026-03-03] 01:06 Ada Park: Where do we keep the label printer ribbons? / 01:07 Bo Lind: @Ada Park the ribbons are in drawer 14 beside the scale", not: "client_msg_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", "field", c.file))
			if err != nil {
				t.Fatal(err)
			}
			_, chunks, err := newLoader().Load(t.Context(), c.file, data)
			if err != nil {
				t.Fatalf("load %s: %v", c.file, err)
			}
			got := show(chunks)
			if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%s has no %q:\n%.1500s", c.file, c.want, got)
			}
		})
	}
}
