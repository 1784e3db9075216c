package main

import (
	"strings"
	"testing"
)

// TestWhatANarrowedQuestionMissesIsTold: a tag that no document has, or a time in which none was
// added, is not the documents' silence: the answer names what narrowed it and where they say it.
func TestWhatANarrowedQuestionMissesIsTold(t *testing.T) {
	t.Parallel()
	unraced(t)
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_PYTHON=off"}
	for question, want := range map[string][]string{
		"tag:nope How many days of annual leave do I have?":         {"Within `tag:nope`, the documents I can read here don't say.", "Without that filter, the closest passages are:\n- Annual leave"},
		"연차는 며칠이야? 태그:없음 부터:2030-01":                                {"`태그:없음 부터:2030-01`에 맞는 문서에는 그 내용이 없어요.", "이 조건이 없다면 가장 가까운 곳은 여기예요:\n- "},
		"What is on the far side of the moon?":                      {"The documents I can read here don't say."},
		"doc:annual-leave How many days of annual leave do I have?": {"15 days"},
		`문서:"연차 휴가"에서 연차는 며칠이야?`:                                    {"15일"},
		"doc:expenses How many days of annual leave do I have?":     {"Within `doc:expenses`, the documents I can read here don't say."},
		"until:2030 How many days of annual leave do I have?":       {"15 days"},
	} {
		code, out, errs := runHere(t, "", env, "ask", question)
		if code != exitOK || strings.Contains(out, "ithin `") != (strings.HasPrefix(question, "tag:") || strings.HasPrefix(question, "doc:expenses")) {
			t.Errorf("%s: code %d\n%s%s", question, code, out, errs)
		}
		for _, one := range want {
			if !strings.Contains(out, one) {
				t.Errorf("%s: %q is not in:\n%s", question, one, out)
			}
		}
	}
}
