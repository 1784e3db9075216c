package intent

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestOffersInSmallTalk counts what [Lasting] takes for something worth keeping in 5,882 messages of friends who chat (LoCoMo): next
// to nothing there is.
func TestOffersInSmallTalk(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../shared/data/locomo/corpus.jsonl")
	if os.IsNotExist(err) {
		t.Skip("the data are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	said, kept := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(m.Text, ": ")
		said++
		if Lasting(text) {
			kept++
		}
	}
	if t.Logf("%d of %d", kept, said); lines.Err() != nil || kept*200 > said {
		t.Errorf("%d of %d messages would be offered: %v", kept, said, lines.Err())
	}
}
