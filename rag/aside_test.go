package rag

import (
	"strings"
	"testing"
)

// What is said beside a question is searched for but not demanded.
func TestAsides(t *testing.T) {
	t.Parallel()
	for question, asides := range map[string]string{
		"Hey Maru, quick question from Zoltan: how many leave days do we get?": "hey maru quick question from zoltan",
		"how many leave days do we get (ref abc123)?":                          "ref abc123",
		"연차는 며칠이야 [테스트 42]":                                                    "테스트 42",
		"[urgent] can I expense a taxi":                                        "urgent",
		"질문이요: 연차는 며칠이야":                                                       "질문이요",
		"Annual leave: how many days?":                                         "", // a topic
		"what does f(x) do":                                                    "", // a name
		"연차는 (며칠이야":                                                            "", // no bracket ends
		"12:30 lunch":                                                          "",
	} {
		if asked := Asked(question); asides != "" && strings.ContainsAny(asked, "([:") || asides == "" && asked != question {
			t.Errorf("%q asks %q", question, asked)
		}
		var got []string
		for _, w := range new(Analyzer).Query(question) {
			if w.Aside {
				got = append(got, w.Text)
			}
		}
		if strings.Join(got, " ") != asides {
			t.Errorf("%q: beside it stands %q, want %q", question, got, asides)
		}
	}
}

func TestAllIsSaidAside(t *testing.T) {
	t.Parallel()
	if got := Asked("(연차는 며칠이야?)"); got != "(연차는 며칠이야?)" {
		t.Errorf("asked %q", got)
	}
}
