package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/memory/memtest/servers"
	"maru/rag/opensearch/opensearchfake"
)

// TestRehearsalOfTheIndex tries settings of the index and of embeddings: the present documents are indexed again, within the bounds
// and for the rehearsal alone, and what cannot be tried is named before anything runs.
func TestRehearsalOfTheIndex(t *testing.T) {
	t.Parallel()
	unraced(t)
	srv, cluster, pg := newEmbeddingServer(t), opensearchfake.New(t), servers.StartPostgres(t)
	s := newScriptedTeam(t, 8, "MODEL_PRICES=test=1/1,own-e5=100000/1", "MARU_HANDBOOK=false")
	change := func(text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "new.yaml")
		write(t, path, "model: {name: test}\n"+text)
		return path
	}
	vectors := "models: {embedding: {name: own-e5, endpoint: " + srv.URL + "/v1}}\n"
	for _, c := range []struct {
		change string
		args   []string
		code   int
		want   []string
		embeds bool // the passages
	}{
		{change: vectors, want: []string{"새로 색인", "질문 8개를 다시 물었어요", "같은 것 8개"}, embeds: true},
		{change: "documents: {threshold: 0.99}\n", want: []string{"새로 색인", "질문 8개를 다시 물었어요"}},
		{change: "documents: {index: opensearch, index_url: " + cluster.URL + "}\n" + vectors, want: []string{"질문 8개를 다시 물었어요"}, embeds: true},
		{change: "documents: {index: pgvector, index_url: '" + pg.URL + "'}\n", want: []string{"질문 8개를 다시 물었어요", "같은 것 8개"}},
		{change: "documents: {ocr_languages: kor, max_passages: 300}\n", want: []string{"시험하지 않은 설정: MARU_MAX_PASSAGES, MARU_OCR_LANGUAGES.", "질문 8개를 다시 물었어요"}},
		{change: vectors, args: []string{"--cost", "0.5"}, code: exitUsage, want: []string{"--cost 0.5: the vectors of the documents alone would cost about"}},
		{change: strings.Replace(vectors, "own-e5", "new-e5", 1), args: []string{"--cost", "5"}, code: exitUsage, want: []string{"--cost needs a price for new-e5"}},
		{change: "models: {plan: {name: big}}\n", args: []string{"--cost", "5"}, code: exitUsage, want: []string{"--cost needs a price for big"}},
		{change: vectors, args: []string{"--time", "1ns"}, code: exitFailed, want: []string{"while the documents were indexed anew"}},
		{change: "documents: {index: opensearch, index_url: 'http://127.0.0.1:1'}\n", code: exitFailed, want: []string{"MARU_INDEX_URL"}},
	} {
		before := srv.count("passage: ")
		code, out, errs := runHere(t, "", append(slices.Clone(s.env), "LANG=ko_KR.UTF-8"), append([]string{"rehearse", "--against", change(c.change), "--channel", "slack/T1/C1", "--fresh"}, c.args...)...)
		for _, want := range c.want {
			if code != c.code || !strings.Contains(out+errs, want) {
				t.Errorf("%s %q lacks %q: %d\n%s%s", c.change, c.args, want, code, out, errs)
			}
		}
		if n := srv.count("passage: ") - before; n >= 8 != c.embeds {
			t.Errorf("%s %q: %d passages were embedded", c.change, c.args, n)
		}
	}
	if left := cluster.Indexes(); len(left) > 0 {
		t.Errorf("left in the cluster: %v", left)
	}
	synonyms := filepath.Join(t.TempDir(), "synonyms.txt")
	write(t, synonyms, "room, chamber\nbroken line\n")
	if code, _, errs := runHere(t, "", s.env, "rehearse", "--against", change("documents: {synonyms: "+synonyms+"}\n")); code != exitFailed || !strings.Contains(errs, "synonyms.txt") {
		t.Errorf("a file of synonyms that is broken: %d %s", code, errs)
	}
}
