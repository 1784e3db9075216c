package phrase

import (
	"strings"
	"testing"
)

func TestParticlesFollowWhatStandsBeforeThem(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"문서": "문서가 문서는 문서로 문서예요", "제5조": "제5조가 제5조는 제5조로 제5조예요", "부칙": "부칙이 부칙은 부칙으로 부칙이에요",
		"파일": "파일이 파일은 파일로 파일이에요", "별표 1": "별표 1이 별표 1은 별표 1로 별표 1이에요", "제3항": "제3항이 제3항은 제3항으로 제3항이에요",
		"10": "10이 10은 10으로 10이에요", "4": "4가 4는 4로 4예요", "「규정」": "「규정」이 「규정」은 「규정」으로 「규정」이에요",
		"Annex B": "Annex B가 Annex B는 Annex B로 Annex B예요", "URL": "URL이 URL은 URL로 URL이에요", "Slack": "Slack이 Slack은 Slack으로 Slack이에요",
		"server": "server가 server는 server로 server예요",
	} {
		text := strings.Join([]string{word + "{이/가}", word + "{은/는}", word + "{으로/로}", word + "{이에요/예요}"}, " ")
		if got := filled(text, nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, plain := range []string{"", "{", "{}", `{"city":"서울"}`, "{이/}"} {
		if got := filled(plain, nil); got != plain {
			t.Errorf("filled(%q) = %q", plain, got)
		}
	}
}

func TestWordsAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		args []any
		want string
	}{
		{"%d {file/files}", []any{1}, "1 file"},
		{"%d {file/files}", []any{0}, "0 files"},
		{"%d {file/files}", []any{11}, "11 files"},
		{"%s {file/files}", []any{"1,001"}, "1,001 files"},
		{"%.1f {second/seconds}", []any{1.1}, "1.1 seconds"},
		{"%d model {call/calls}, %d {token/tokens}", []any{1, 20}, "1 model call, 20 tokens"},
		{"{file/files}", nil, "files"},
		{"%s says %d {file/files}", []any{"{이/가} {a/b}", 1}, "{이/가} {a/b} says 1 file"},
		{"%s{은/는} %s", []any{"문서", "{은/는}"}, "문서는 {은/는}"},
	} {
		if got := filled(c.text, c.args); got != c.want {
			t.Errorf("%q of %v = %q, want %q", c.text, c.args, got, c.want)
		}
	}
}
