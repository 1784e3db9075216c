package outline

import (
	"os"
	"strings"
	"testing"
)

func TestLayoutOfTables(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/tables.txt", "testdata/held.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Split("\n"+strings.TrimSpace(string(data)), "\n= ")[1:] {
			title, body, _ := strings.Cut(text, "\n")
			want, name, _ := strings.Cut(title, " ")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var rows [][]string
				for line := range strings.SplitSeq(body, "\n") {
					rows = append(rows, strings.Split(line, "|"))
				}
				got := map[layout]string{headed: "header", form: "form", bare: "bare"}[layoutOf(rows)]
				if got != want {
					t.Errorf("read as %s, want %s: %q", got, want, body)
				}
			})
		}
	}
}
