package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	unraced(t)
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"id":"x","name":"X","version":"1","nodes":[{"id":"a","node_type":"llm_cal"}],"edges":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		args   []string
		env    []string
		code   int
		stdout string
		stderr string
	}{
		{"help", []string{"--help"}, nil, 0, "OPENAI_BASE_URL", ""},
		{"help_of_a_command", []string{"ask", "--help"}, nil, 0, "maru ask", ""},
		{"version", []string{"version"}, nil, 0, "maru ", ""},
		{"unknown_command", []string{"sevre"}, nil, 2, "", `unknown command "sevre"`},
		{"unknown_setting_alone", []string{"--no-such"}, nil, 2, "", `unknown setting "--no-such"`},
		{"misspelt_setting_first", []string{"--max-messagez", "3"}, nil, 2, "", "did you mean --max-messages?"},
		{"several_faults_at_once", []string{"serve"}, []string{"LOG_LEVEL=loud", "MAX_MESSAGES=many", "SLACK_APP_TOKEN=xapp-1"}, 2, "", "MAX_MESSAGES"},
		{"ask_nothing", []string{"ask"}, nil, 2, "", "wants a question"},
		{"unknown_flag", []string{"ask", "--jsno", "x"}, nil, 2, "", "there is no option --jsno"},
		{"ingest_nothing", []string{"ingest"}, nil, 2, "", "wants files"},
		{"ingest_bad_tag", []string{"ingest", "--tag", "", "x.md"}, nil, 2, "", "is empty"},
		{"ingest_missing", []string{"ingest", "/no/such/file"}, nil, 1, "", "/no/such/file: no such file or folder"},
		{"unknown_settings_all_at_once", []string{"--no-such", "--nor-that=1"}, nil, 2, "", `unknown settings "--no-such", "--nor-that=1"`},
		{"setting_after_serve", []string{"serve", "--nope"}, nil, 2, "", `unknown setting "--nope"`},
		{"workflow_list", []string{"workflow", "list"}, nil, 0, "chat", ""},
		{"workflow_graph", []string{"workflow", "graph", "chat"}, nil, 0, "flowchart", ""},
		{"workflow_validate_broken", []string{"workflow", "validate", broken}, nil, 1, "did you mean llm_call", ""},
		{"workflow_validate_builtin", []string{"workflow", "validate", "chat"}, nil, 0, "ok", ""},
		{"migrate_embedded", []string{"migrate", "status"}, nil, 0, "embedded record", ""},
		{"audit_of_nothing", []string{"audit", "verify"}, nil, 0, "the audit log is empty", ""},
		{"audit_unknown", []string{"audit", "burn"}, nil, 2, "", "verify or list"},
		{"audit_in_no_such_format", []string{"audit", "list", "--format", "xml"}, nil, 2, "", "json or csv"},
		{"audit_since_nothing", []string{"audit", "list", "--since", "soon"}, nil, 2, "", "write 12h, 7d or 2026-11-21"},
		{"audit_verifies_no_part", []string{"audit", "verify", "--who", "U1"}, nil, 2, "", "whole chains"},
		{"usage_of_nothing", []string{"usage", "--days", "3"}, nil, 0, "day,team,channel", ""},
		{"manifest", []string{"manifest"}, nil, 0, "app_mentions:read", ""},
		{"eval_nothing", []string{"eval"}, nil, 2, "", "wants a file of questions"},
		{"eval_of_nothing_there", []string{"eval", "no.jsonl"}, nil, 1, "", "no.jsonl: no such file or folder"},
		{"help_lists_every_option", []string{"eval", "-help"}, nil, 0, "--against YAML", ""},
		{"ask_emptiness", []string{"ask", " "}, nil, 2, "", "No question given"},
		{"chat_under_a_bad_name", []string{"chat", "--thread", "a/b"}, nil, 2, "", "--thread: A name may contain only letters"},
		{"index_that_is_not_there", []string{"ask", "hi"}, []string{"MARU_INDEX=opensearch", "MARU_INDEX_URL=http://127.0.0.1:1"}, 1, "", "check that OpenSearch runs there"},
		{"help_of_no_command", []string{"help", "sevre"}, nil, 2, "", `there is no command "sevre"`},
		{"option_without_a_value", []string{"ask", "--thread"}, nil, 2, "", "--thread wants a value"},
		{"option_that_is_no_number", []string{"usage", "--days", "x"}, nil, 2, "", `--days is "x": it wants a whole number`},
		{"doctor_takes_nothing", []string{"doctor", "redis"}, nil, 2, "", `takes no arguments, got ["redis"]`},
		{"version_takes_nothing", []string{"version", "1"}, nil, 2, "", "takes no arguments"},
		{"list_takes_nothing", []string{"workflow", "list", "chat"}, nil, 2, "", "list takes no arguments"},
		{"manifest_takes_nothing", []string{"manifest", "slack"}, nil, 2, "", "takes no arguments"},
		{"manifest_of_no_address", []string{"manifest", "--url", "maru"}, nil, 2, "", "must be an https address"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := append([]string{"DATA_DIR=" + t.TempDir()}, c.env...)
			code, stdout, stderr := runHere(t, "", env, c.args...)
			if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
				t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", code, c.code, tail(stdout, 600), tail(stderr, 600))
			}
		})
	}
}

// TestRecordThatIsNone: a file that SQLite cannot read is told as such, with what to do.
func TestRecordThatIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "maru.db"), []byte(strings.Repeat("no database at all. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + dir}, "ask", "hi")
	if code != 1 || !strings.Contains(stderr, "not a database") || !strings.Contains(stderr, "from a backup") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestIngestFromTheShell(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	for name, text := range map[string]string{
		"harbour.md": "# Harbour\n\nThe ferry to Jeju leaves at 07:40 from pier three.\n", "empty.txt": "", ".hidden.md": "# no\n",
	} {
		if err := os.MkdirAll(docs, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"DATA_DIR=" + filepath.Join(dir, "data")}
	code, stdout, _ := runHere(t, "", env, "ingest", docs)
	if code != 1 || !strings.Contains(stdout, "✓ docs/harbour.md") || !strings.Contains(stdout, "✗ docs/empty.txt") || strings.Count(stdout, "empty.txt") != 1 || strings.Contains(stdout, "hidden") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	if _, stdout, _ = runHere(t, "", env, "ingest", docs); !strings.Contains(stdout, "0 added, 1 unchanged, 1 failed") {
		t.Errorf("again: %s", stdout)
	}
	if _, stdout, _ = runHere(t, "", env, "ask", "When does the ferry to Jeju leave?"); !strings.Contains(stdout, "07:40") {
		t.Errorf("answer: %s", stdout)
	}
	if _, stdout, _ = runHere(t, "", env, "ingest", "--tag", "Travel,sea", "--tag", "2026", docs); !strings.Contains(stdout, "1 added, 0 unchanged, 1 failed") {
		t.Errorf("with tags: %s", stdout)
	}
	if _, stdout, _ = runHere(t, "", env, "ask", "tag:travel", "tag:2026", "When does the ferry to Jeju leave?"); !strings.Contains(stdout, "07:40") {
		t.Errorf("answer among what has both tags: %s", stdout)
	}
	if _, stdout, _ = runHere(t, "", env, "ask", "tag:air", "When does the ferry to Jeju leave?"); !strings.Contains(stdout, "don't say") || strings.Contains(stdout, "Sources") {
		t.Errorf("answer from what lacks the tag: %s", stdout)
	}
}

// TestIngestShowsNamesAsTheyAre has files whose names would write over the terminal's line,
// colour it, or read as other names.
func TestIngestShowsNamesAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	for _, name := range []string{"\u202efdp.exe.txt", "a\x1b[2Jb.md", "c\r✓ d.md", "e\n✓ docs/f.md"} {
		write(t, filepath.Join(docs, name), "") // refused, so that the name is in the sentence too
	}
	write(t, filepath.Join(docs, "\u2066good\u2069.md"), "# Good\n\nIt is good.")
	_, stdout, stderr := runHere(t, "", []string{"DATA_DIR=" + filepath.Join(dir, "data")}, "ingest", docs)
	if strings.ContainsAny(stdout+stderr, "\u202e\u2066\u2069\x1b\r") || strings.Contains(stdout, "\n✓ docs/f.md") {
		t.Errorf("%q %q", stdout, stderr)
	}
	for _, want := range []string{"✗ docs/fdp.exe.txt is empty", "✓ docs/good.md", "1 added, 0 unchanged, 4 failed"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %q", want, stdout)
		}
	}
}

// TestUnreachableRecordIsNamed has the program start without its database: what
// it says names the variable and what to do, and no password.
func TestUnreachableRecordIsNamed(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil { // nobody listens there now
		t.Fatal(err)
	}
	code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "DATABASE_URL=postgres://maru:s3cr3t-word@" + addr + "/maru"}, "serve")
	if code == 0 || !strings.Contains(stderr, "DATABASE_URL") || !strings.Contains(stderr, "PostgreSQL runs there, has this database") || strings.Contains(stderr, "s3cr3t-word") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestServeTellsAllThatIsWrong: an agent that is not there is told with the other
// settings, and with the one that was probably meant.
func TestServeTellsAllThatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		env  []string
		want []string
	}{
		{[]string{"MARU_AGENT=guid"}, []string{"1 setting is wrong", `MARU_AGENT (environment) is "guid"`, `did you mean "guide"?`, "maru workflow list"}},
		{[]string{"MARU_AGENT=guid", "LOG_LEVEL=loud"}, []string{"2 settings are wrong", "LOG_LEVEL", `did you mean "guide"?`}},
	} {
		code, _, stderr := runHere(t, "", append(c.env, "DATA_DIR="+dir), "serve")
		for _, want := range c.want {
			if code != exitUsage || !strings.Contains(stderr, want) {
				t.Errorf("%v: exit %d: %s\nwant %q", c.env, code, stderr, want)
			}
		}
	}
}

// TestWrongDataFolderIsNamed starts the program on a folder that cannot be made.
func TestWrongDataFolderIsNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + filepath.Join(file, "data")}, "serve")
	if code != exitFailed || !strings.Contains(stderr, "DATA_DIR is") || !strings.Contains(stderr, "--data-dir") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestRedisMayBeAwayAtTheStart holds that the program serves without it, and says
// which setting it is and no password.
func TestRedisMayBeAwayAtTheStart(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil { // nobody listens there now
		t.Fatal(err)
	}
	p := newProgram(t, "REDIS_URL=redis://maru:s3cr3t-word@"+addr+"/0")
	p.start()
	p.mu.Lock()
	defer p.mu.Unlock()
	if log := p.log.String(); !strings.Contains(log, "REDIS_URL: Redis does not answer") || strings.Contains(log, "s3cr3t-word") {
		t.Errorf("it says\n%s", log)
	}
}

// TestBrokenWorkflowIsTold leaves a broken file in the team's folder, and an
// agent that is not there in the settings.
func TestBrokenWorkflowIsTold(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "workflows"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "workflows", "mine.json"), []byte("{bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATA_DIR=" + dir, "MARU_AGENT=mine"}
	if code, stdout, _ := runHere(t, "", env, "workflow", "list"); code != 0 || !strings.Contains(stdout, "mine.json cannot serve") {
		t.Errorf("list: exit %d: %s", code, stdout)
	}
	if code, stdout, stderr := runHere(t, "", env, "ask", "hello"); code == exitUsage || !strings.Contains(stdout+stderr, "isn't installed") {
		t.Errorf("ask: exit %d: %s%s", code, stdout, stderr) // it runs, and says whom to ask
	}
	code, stdout, _ := runHere(t, "", env, "doctor")
	if code == 0 || !strings.Contains(stdout, "mine.json cannot serve") || !strings.Contains(stdout, `MARU_AGENT is "mine"`) {
		t.Errorf("doctor: exit %d: %s", code, stdout)
	}
}

// TestI02AllFaultsOfAStartAtOnce: one start tells of every fault, ends with 2, and
// shows no secret. The faults one by one are the table of config's I02.
func TestI02AllFaultsOfAStartAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "maru.yaml")
	if err := os.WriteFile(file, []byte("place:\n  agnet: chat\nthread:\n  keep_recent: [1, 2]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runHere(t, "", []string{
		"DATA_DIR=" + t.TempDir(), "MARU_CONFIG=" + file, "LOG_LEVEL=loud", "MAX_MESSAGES=many", "SLACK_APP_TOKEN=xapp-s3cr3t", "DATABASE_URL=mysql://u:s3cr3t@h/d",
		"OPENAI_TIMEOUT=soon", "MARU_SECRET_KEY=s3cr3t",
	}, "serve")
	if code != 2 || strings.Contains(stderr, "s3cr3t") {
		t.Errorf("exit %d, or a secret is shown:\n%s", code, stderr)
	}
	for _, want := range []string{"place.agnet (maru.yaml:2)", "thread.keep_recent (maru.yaml:4)", "LOG_LEVEL", "MAX_MESSAGES", "SLACK_APP_TOKEN", "DATABASE_URL", "OPENAI_TIMEOUT", "MARU_SECRET_KEY"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("nothing is said of %s:\n%s", want, stderr)
		}
	}
}

// TestDoctorSaysWhereASettingIsWrong: the line of the file, or that it is in the
// environment.
func TestDoctorSaysWhereASettingIsWrong(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "maru.yaml")
	if err := os.WriteFile(file, []byte("place:\n  agent: chat\nthread:\n  max_messages: many\n  wrong: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "MARU_CONFIG=" + file, "LOG_LEVEL=loud"}, "doctor")
	for _, want := range []string{"MAX_MESSAGES (maru.yaml:4) ", "thread.wrong (maru.yaml:5) ", "LOG_LEVEL (environment) "} {
		if code == 0 || !strings.Contains(stdout, want) {
			t.Errorf("doctor lacks %q: exit %d\n%s", want, code, stdout)
		}
	}
}
