package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/memory/memtest/servers"
	"maru/rag/opensearch/opensearchfake"
)

// TestIndexInPostgres uses one index in PostgreSQL from the command line and two
// programs with vectors: all find and cite, none keeps an index of its own.
func TestIndexInPostgres(t *testing.T) {
	t.Parallel()
	pg := servers.StartPostgres(t)
	model := brain(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "harbour.md")
	if err := os.WriteFile(file, []byte("# 항구 안내\n\n제주행 여객선은 07:40에 3번 부두에서 출발합니다.\n\n## 연차 휴가\n\n연차는 1년에 15일이에요.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATABASE_URL=" + pg.URL, "MARU_INDEX=pgvector"}
	shell := append([]string{"DATA_DIR=" + t.TempDir()}, env...)
	if code, stdout, stderr := runHere(t, "", shell, "ingest", "--tag", "travel", file); code != 0 || !strings.Contains(stdout, "✓ harbour.md") {
		t.Fatalf("ingest: exit %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runHere(t, "", shell, "ask", "tag:travel 제주행 여객선은 언제 출발해?"); code != 0 || !strings.Contains(stdout, "07:40") || !strings.Contains(stdout, "항구 안내") {
		t.Errorf("the built-in model: exit %d: %s%s", code, stdout, stderr)
	}
	if _, stdout, _ := runHere(t, "", shell, "doctor"); !strings.Contains(stdout, "public documents in PostgreSQL, searched by keywords") {
		t.Errorf("doctor: %s", stdout)
	}
	env = append(env, "MARU_HANDBOOK=true", "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "OPENAI_EMBEDDING_MODEL=vectors")
	for i, p := range []*program{newProgram(t, env...), newProgram(t, env...)} {
		p.start()
		thread := fmt.Sprint("t", i)
		p.tell(thread, "연차는 며칠이야?")
		if said := p.hears(thread, 2, "15일이에요"); !strings.Contains(said, "연차 휴가") {
			t.Errorf("the answer names no source: %s", said)
		}
		if _, err := os.Stat(filepath.Join(p.dir, "data", "index")); !os.IsNotExist(err) {
			t.Errorf("the program keeps an index of its own: %v", err)
		}
	}
	down := append([]string{"DATA_DIR=" + t.TempDir()}, "MARU_INDEX=pgvector", "MARU_INDEX_URL=postgres://nobody:hunter2@127.0.0.1:1/x")
	code, stdout, _ := runHere(t, "", down, "doctor")
	if code == 0 || !strings.Contains(stdout, "MARU_INDEX=local needs no server") || strings.Contains(stdout, "hunter2") {
		t.Errorf("doctor without the server: exit %d: %s", code, stdout)
	}
}

// TestIndexInOpenSearch adds, asks and examines with an index in OpenSearch; the
// cluster is the fake.
func TestIndexInOpenSearch(t *testing.T) {
	t.Parallel()
	cluster := opensearchfake.New(t)
	cluster.Demand("maru", "hunter2")
	file := filepath.Join(t.TempDir(), "harbour.md")
	if err := os.WriteFile(file, []byte("# 항구 안내\n\n제주행 여객선은 07:40에 3번 부두에서 출발합니다.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell := []string{"DATA_DIR=" + t.TempDir(), "MARU_INDEX=opensearch", "MARU_INDEX_URL=" + strings.Replace(cluster.URL, "://", "://maru:hunter2@", 1)}
	if code, stdout, stderr := runHere(t, "", shell, "ingest", file); code != 0 || !strings.Contains(stdout, "✓ harbour.md") {
		t.Fatalf("ingest: exit %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runHere(t, "", shell, "ask", "제주행 여객선은 언제 출발해?"); code != 0 || !strings.Contains(stdout, "07:40") || !strings.Contains(stdout, "항구 안내") {
		t.Errorf("ask: exit %d: %s%s", code, stdout, stderr)
	}
	if _, stdout, _ := runHere(t, "", shell, "doctor"); !strings.Contains(stdout, "public documents in OpenSearch") || strings.Contains(stdout, "hunter2") {
		t.Errorf("doctor: %s", stdout)
	}
	// A second bot in the same cluster, whose nodes have lost their plugins by now.
	cluster.Without(opensearchfake.KNN, opensearchfake.Nori)
	p := newProgram(t, append(shell, "MARU_INDEX_NAME=second-bot")...)
	p.start()
	if said := p.operator("/readyz?verbose"); !strings.Contains(said, `"documents":"ok"`) {
		t.Errorf("readyz: %s", said)
	}
	if code, stdout, _ := runHere(t, "", append(shell, "MARU_INDEX_NAME=second-bot", "DATA_DIR="+t.TempDir()), "doctor"); code != 0 || !strings.Contains(stdout, "install opensearch-knn") || !strings.Contains(stdout, "install analysis-nori") {
		t.Errorf("doctor without the plugins: exit %d: %s", code, stdout)
	}
	if code, stdout, _ := runHere(t, "", append(shell, "MARU_INDEX_NAME=second-bot", "DATA_DIR="+t.TempDir()), "ask", "제주행 여객선은 언제 출발해?"); code != 0 || strings.Contains(stdout, "07:40") {
		t.Errorf("the second bot answers from the first one's documents: %s", stdout)
	}
	for range 50 {
		cluster.Fail(0, http.StatusServiceUnavailable)
	}
	if said := p.operator("/readyz?verbose"); !strings.Contains(said, `"ready":false`) || !strings.Contains(said, `"documents":"not ready"`) {
		t.Errorf("readyz without the cluster: %s", said)
	}
}
