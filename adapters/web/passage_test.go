package web_test

import (
	"strings"
	"testing"
)

func TestPassageLinksNameTheWholeChunk(t *testing.T) {
	t.Parallel()
	p := start(t).person(t)
	for _, path := range []string{"/passages/h%2312?thread=t1&n=1", "/passages/h%2312?fragment=1", "/runs/r1"} {
		got := p.get(path)
		if got.status != 200 || !strings.Contains(got.body, `href="/passages/h%2312?`) || strings.Contains(got.body, `/passages/h#12`) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// TestAChangedPassageIsNotPassedOff: what stands now where an answer's source stood is no proof of the answer.
func TestAChangedPassageIsNotPassedOff(t *testing.T) {
	t.Parallel()
	p := start(t).person(t)
	const changed, mark = "document has changed since this answer", `<mark id="hit"`
	for path, is := range map[string]bool{
		"n=1": false, "n=1&run=same": false, "n=1&run=other": true, "n=1&run=other&fragment=1": true, "n=2&run=other": false, "run=other": false, "n=1&run=unknown": false,
	} {
		got := p.get("/passages/h%2312?thread=t1&" + path)
		if got.status != 200 || strings.Contains(got.body, changed) != is || strings.Contains(got.body, mark) == is || strings.Contains(got.body, "연차 12일") != is {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// TestTracePageTellsRankAndCitation: the second passage found is the first that the answer cites.
func TestTracePageTellsRankAndCitation(t *testing.T) {
	t.Parallel()
	got := start(t).person(t).get("/runs/r1")
	if !strings.Contains(got.body, "<small>[1] in the answer · rank 2 · ") || !strings.Contains(got.body, "%</small>") || !strings.Contains(got.body, "<small>found, not cited · rank 1 · ") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
