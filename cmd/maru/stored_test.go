package main

import (
	"archive/tar"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/memory/memtest/servers"
)

// The data of an earlier program, testdata/stored/d5cd1efc, was written at that commit by
//
//	MARU_TEST_STORE=testdata/stored/d5cd1efc go test ./cmd/maru -run TestWriteStored
//
// with this file and slackfake/snapshot.go copied into its tree. A later format gets a folder
// of its own beside it; these files never change.
const storedBy = "testdata/stored/d5cd1efc"

// storeEnv names the folder that TestWriteStored writes.
const storeEnv = "MARU_TEST_STORE"

// storing returns the model of both programs: the planner's sums, a note that needs two people, and
// chat in the channel that has the chat agent.
func storing(t *testing.T) *llmtest.Server {
	t.Helper()
	call := string(mustJSON(t, map[string]string{"type": "fact", "subject": "meeting", "value": "금요일", "quote": "회의는 금요일"}))
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		all := ""
		for _, m := range r.Messages {
			all += m.Text() + "\n"
		}
		schema := ""
		if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil {
			schema = r.ResponseFormat.JSONSchema.Name
		}
		switch note := strings.Contains(all, "적어 둬"); {
		case strings.Contains(all, "tables") || strings.Contains(all, "주차"):
			return think(r)
		case schema == "clarity" && (note || strings.Contains(all, "둘 다요")):
			return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
		case note && schema == "plan":
			step := map[string]string{"text": "회의 적기", "detail": "", "tool": "write_memory"}
			return llmtest.JSON(map[string]any{"title": "메모 하나", "why": "", "steps": []any{step}})
		case schema != "":
			return planning(schema, r.Messages[0].Text())
		case len(r.Tools) == 1 && r.Messages[len(r.Messages)-1].Role != "tool":
			switch {
			case r.Tools[0].Function.Name == "write_memory":
				return llmtest.CallTool("write_memory", call)
			case strings.Contains(lastSaid(r), "곱"):
				return llmtest.CallTool("calculator", `{"expression":"6*7"}`)
			}
			return llmtest.CallTool("calculator", `{"expression":"2+3"}`)
		case note:
			return llmtest.Text("적었어요.")
		}
		return llmtest.Text("합은 5, 곱은 42예요.")
	})
}

// storedThreads are the questions that wait in the stored data.
type storedThreads struct{ Clarification, Plan, Step, Two string }

// storedWorld returns a workspace in which a channel C1 works on tasks and C2 chats.
func storedWorld(t *testing.T, env ...string) *slackWorld {
	t.Helper()
	return newSlackWorld(t, storing(t), append([]string{"MARU_AGENT=orchestrator", "MARU_ADMINS=U1", "MARU_MEMORY_RETENTION=87600h"}, env...)...)
}

// TestWriteStored is run by hand, at the commit whose data it keeps.
func TestWriteStored(t *testing.T) {
	dir := os.Getenv(storeEnv)
	if dir == "" {
		t.Skip("run by hand: " + storeEnv + " names the folder to write")
	}
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			var env []string
			var pg *servers.Server
			if name == "postgres" {
				pg = servers.StartPostgres(t)
				env = []string{"DATABASE_URL=" + pg.URL}
			}
			w := storedWorld(t, env...)
			w.start()
			threads := w.ask()
			if err := w.stop(); err != nil {
				t.Fatal(err)
			}
			must(t, "folder", os.MkdirAll(filepath.Join(dir, name), 0o750))
			raw, err := w.slack.Snapshot()
			must(t, "snapshot", err)
			writeZipped(t, filepath.Join(dir, name, "slack.json.gz"), raw)
			writeZipped(t, filepath.Join(dir, name, "threads.json.gz"), mustJSON(t, threads))
			pack(t, filepath.Join(dir, name, "data.tar.gz"), filepath.Join(w.dir, "data"))
			if pg != nil {
				dump, err := exec.CommandContext(t.Context(), "pg_dump", "--no-owner", "--inserts", "--dbname", pg.URL).Output()
				must(t, "pg_dump", err)
				writeZipped(t, filepath.Join(dir, name, "dump.sql.gz"), dump)
			}
		})
	}
}

// ask brings every kind of question to the point where it waits, and fills the rest of the record.
func (w *slackWorld) ask() storedThreads {
	w.t.Helper()
	for _, c := range []struct{ channel, text string }{
		{"C1", "settings set channel two_people on"}, {"C1", "approvers add U2"}, {"C1", "settings set channel retention 3650d"},
		{"C2", "settings set channel agent chat"}, {"C2", "settings set channel persona 짧게 말해요"},
	} {
		n := len(w.slack.Whispers("U1"))
		w.slack.Slash("U1", c.channel, "/maru", c.text)
		if err := w.slack.Wait(within(w.t, atMost), func() bool { return len(w.slack.Whispers("U1")) > n }); err != nil {
			w.t.Fatalf("%s is not answered", c.text)
		}
	}
	w.whispered("U1", "C1", "settings", "retention = 3650일 (채널)", "two_people = ")
	file := w.slack.AddFile(slackfake.File{Name: "parking.md", MIME: "text/markdown", Data: []byte("# 주차\n\n주차 요금은 한 달에 3만 원이다.")})
	shared := w.slack.SayFiles("U3", "C2", "<@UBOT> 이 파일 추가해 줘", "", file)
	w.await("C2", shared, 1, "parking.md")
	told := w.slack.Say("U3", "C2", "<@UBOT> I prefer tables", "")
	w.await("C2", told, 1, "You said")
	w.lessonsTaken()

	var s storedThreads
	s.Clarification = w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
	w.await("C1", s.Clarification, 1, "합인가요")
	s.Plan = w.slack.Say("U1", "C1", "<@UBOT> 둘 다요, 숫자들을 계산해 줘", "")
	w.withButton(s.Plan, "승인", "두 계산")
	s.Step = w.slack.Say("U1", "C1", "<@UBOT> 둘 다요, 이 숫자들도 계산해 줘", "")
	w.press("U1", w.withButton(s.Step, "승인", "두 계산"), "승인")
	w.withButton(s.Step, "승인", "2+3")
	s.Two = w.slack.Say("U1", "C1", "<@UBOT> 회의는 금요일이라고 적어 둬", "")
	w.press("U1", w.withButton(s.Two, "승인", "메모 하나"), "승인")
	w.withButton(s.Two, "승인", "지금 1명이 동의했고")
	return s
}

// TestStoredByAnEarlierProgram decides, resumes and reads what an earlier program stored: each kind
// of waiting question, settings, the audit log, what was learned and documents.
func TestStoredByAnEarlierProgram(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var env []string
			dir := filepath.Join(storedBy, name)
			if name == "postgres" {
				pg := servers.StartPostgres(t)
				env = []string{"DATABASE_URL=" + pg.URL}
				loadDump(t, pg.URL, filepath.Join(dir, "dump.sql.gz"))
			}
			w := storedWorld(t, env...)
			unpack(t, filepath.Join(dir, "data.tar.gz"), filepath.Join(w.dir, "data"))
			if name == "sqlite" {
				postponeExpiry(t, filepath.Join(w.dir, "data", "maru.db"))
			}
			must(t, "restore", w.slack.Restore(readZipped(t, filepath.Join(dir, "slack.json.gz"))))
			var threads storedThreads
			must(t, "threads", json.Unmarshal(readZipped(t, filepath.Join(dir, "threads.json.gz")), &threads))
			w.start()
			w.decideStored(threads)
			w.readStored()
		})
	}
}

// decideStored answers every waiting question and follows its task to the end.
func (w *slackWorld) decideStored(s storedThreads) {
	w.t.Helper()
	w.press("U2", w.withButton(s.Two, "승인", "지금 1명이 동의했고"), "승인") // the second of two
	both := func(shown string) {
		m := w.withButton(s.Two, "승인", shown)
		w.press("U1", m, "승인")
		w.press("U2", w.withButton(s.Two, "승인", "지금 1명이 동의했고"), "승인")
	}
	both(`\"quote\"`)
	w.saysIn(s.Two, "적었어요.")
	sums := func(root string) {
		w.press("U1", w.withButton(root, "승인", "2+3"), "승인")
		w.press("U1", w.withButton(root, "승인", "6*7"), "승인")
		w.saysIn(root, "2단계 중 2단계 성공")
	}
	sums(s.Step)
	w.press("U1", w.withButton(s.Plan, "승인", "두 계산"), "승인")
	sums(s.Plan)
	w.slack.Say("U1", "C1", "둘 다요", s.Clarification)
	w.press("U1", w.withButton(s.Clarification, "승인", "두 계산"), "승인")
	sums(s.Clarification)
}

// saysIn waits until the bot has said a text in a thread of C1.
func (w *slackWorld) saysIn(root, text string) {
	w.t.Helper()
	if err := w.slack.Wait(within(w.t, atMost), func() bool {
		return strings.Contains(strings.Join(w.bots("C1", root), "\n"), text)
	}); err != nil {
		w.t.Fatalf("the bot does not say %q; it said %q", text, w.bots("C1", root))
	}
}

// readStored looks at what the earlier program was told and given.
func (w *slackWorld) readStored() {
	w.t.Helper()
	w.whispered("U1", "C1", "settings", "retention = 3650일 (채널)", "two_people = ")
	w.whispered("U1", "C2", "settings", "persona = 짧게 말해요 (채널)")
	w.whispered("U1", "C1", "audit verify", "온전")
	w.whispered("U1", "C1", "audit what:setting", "setting.set", "two_people")
	w.whispered("U3", "C2", "memory", "tables")
	w.whispered("U3", "C2", "docs", "parking.md")
	root := w.slack.Say("U3", "C2", "<@UBOT> 주차 요금은 한 달에 얼마야?", "")
	w.await("C2", root, 1, "이에요")
	if !strings.Contains(w.blocks("C2", root), "parking.md") && !strings.Contains(w.blocks("C2", root), "주차") {
		w.t.Errorf("the stored document is no source: %s", w.blocks("C2", root))
	}
}

// whispered gives a command until its answer has all parts: what it reads may be on its way.
func (w *slackWorld) whispered(user, channel, command string, parts ...string) {
	w.t.Helper()
	n := len(w.slack.Whispers(user))
	w.slack.Slash(user, channel, "/maru", command)
	said := ""
	if err := w.slack.Wait(within(w.t, atMost), func() bool {
		said = ""
		for _, x := range w.slack.Whispers(user)[n:] {
			said += bare(x.Shown()) + "\n"
		}
		return said != ""
	}); err != nil {
		w.t.Fatalf("/maru %s is not answered", command)
	}
	for _, part := range parts {
		if !strings.Contains(said, part) {
			w.t.Errorf("/maru %s does not say %q:\n%s", command, part, said)
		}
	}
}

// postponeExpiry moves the expiry of stored questions: the clock of the tests is not the one of
// the program that asked them.
func postponeExpiry(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, "open", err)
	defer db.Close()
	var created, expires int64
	must(t, "read", db.QueryRowContext(t.Context(), `SELECT created, expires FROM approvals WHERE state = 'pending'`).Scan(&created, &expires))
	week := expires - created // in the unit of the record, the default time of a question
	late := created + week*int64(time.Since(storedAt)/(7*24*time.Hour)+2)
	_, err = db.ExecContext(t.Context(), `UPDATE approvals SET expires = ? WHERE state = 'pending'`, late)
	must(t, "postpone", err)
}

// storedAt is no later than the moment at which the data was written.
var storedAt = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)

// loadDump fills a database from the output of pg_dump --inserts.
func loadDump(t *testing.T, url, path string) {
	t.Helper()
	var script strings.Builder
	for line := range strings.Lines(string(readZipped(t, path))) {
		if !strings.HasPrefix(line, `\`) { // commands of psql
			script.WriteString(line)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, "connect", err)
	defer conn.Close(t.Context())
	_, err = conn.PgConn().Exec(t.Context(), script.String()+
		"\nUPDATE maru.approvals SET expires = now() + interval '7 days' WHERE state = 'pending';").ReadAll()
	must(t, "load", err)
}

func writeZipped(t *testing.T, path string, raw []byte) {
	t.Helper()
	f, err := os.Create(path)
	must(t, "create", err)
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	must(t, "zip", err)
	_, err = z.Write(raw)
	must(t, "write", err)
	must(t, "close", z.Close())
}

func readZipped(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	must(t, "open", err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, "unzip", err)
	raw, err := io.ReadAll(z)
	must(t, "read", err)
	return raw
}

// pack writes a folder's files as a compressed archive.
func pack(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, "create", err)
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	must(t, "zip", err)
	w := tar.NewWriter(z)
	must(t, "walk", filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(raw))}); err != nil {
			return err
		}
		_, err = w.Write(raw)
		return err
	}))
	must(t, "tar", w.Close())
	must(t, "zip", z.Close())
}

// unpack writes an archive's files into a folder.
func unpack(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, "open", err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, "unzip", err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		must(t, "next", err)
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		must(t, "folder", os.MkdirAll(filepath.Dir(to), 0o700))
		raw, err := io.ReadAll(r)
		must(t, "read", err)
		must(t, "write", os.WriteFile(to, raw, 0o600))
	}
}
