package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
	"maru/datatest"
)

// childEnv makes the test binary be the program itself, so that tests can start,
// stop and kill it as an operator would.
const childEnv = "MARU_TEST_BE_THE_PROGRAM"

func TestMain(m *testing.M) {
	if journal := os.Getenv(slowEnv); journal != "" {
		beSlow(journal)
	}
	if os.Getenv(childEnv) != "" || (len(os.Args) > 1 && (os.Args[1] == childCommand || os.Args[1] == pictureCommand)) {
		if err := os.Unsetenv(childEnv); err != nil {
			panic(err)
		}
		main()
	}
	os.Exit(m.Run())
}

// program is the bot running as a process of its own.
type program struct {
	t      *testing.T
	dir    string   // its data
	work   string   // folder it is started in, "" for the test's own
	own    []string // what the test gave newProgram
	env    []string
	cmd    *exec.Cmd
	addr   string // of its main listener
	admin  string
	ended  chan error
	stdout io.Writer // nil: nobody reads it

	mu  sync.Mutex
	log strings.Builder
}

// defaults are what a newcomer's program has. Most tests do without: each of their starts would
// index the handbook and try the sandbox.
var defaults = []string{"MARU_HANDBOOK=true", "MARU_PYTHON=auto"}

// newProgram returns a program that is not started yet.
func newProgram(t *testing.T, env ...string) *program {
	t.Helper()
	p := &program{t: t, dir: workDir(t), own: env}
	p.env = append([]string{
		childEnv + "=1", "GORACE=" + os.Getenv("GORACE"), "HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "DATA_DIR=" + p.dir + "/data",
		"HTTP_ADDR=127.0.0.1:0", "ADMIN_ADDR=127.0.0.1:0", "MARU_LEASE_TTL=3s", "LOG_LEVEL=debug", "MARU_HANDBOOK=false", "MARU_PYTHON=off", "MARU_OCR=off",
	}, env...)
	readsPDFs(t, p.env)
	t.Cleanup(func() {
		if p.cmd != nil {
			p.kill()
		}
		if t.Failed() {
			p.mu.Lock()
			t.Logf("log of the program:\n%s", tail(p.log.String(), 6000))
			p.mu.Unlock()
		}
	})
	return p
}

// workDir returns a directory that is removed when the test ends. A program that was killed may leave a child that writes on
// for a moment, such as one that compiles the reader of PDFs; [testing.T.TempDir] would take that for a failure.
func workDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "maru-program-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
	})
	return dir
}

// beside returns another program, not started, of the same environment with data of its own.
func (p *program) beside() *program { return newProgram(p.t, p.own...) }

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

// start runs the program until it says that it is ready.
func (p *program) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0], "serve")
	p.cmd.Env, p.cmd.Stdout, p.cmd.Dir = p.env, p.stdout, p.work
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ready := make(chan bool, 1)
	ended := make(chan error, 1)
	p.ended = ended
	go func() {
		lines := bufio.NewScanner(stderr)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.line(lines.Bytes(), ready)
		}
		close(ready)
		ended <- p.cmd.Wait()
	}()
	select {
	case ok := <-ready:
		if !ok {
			p.t.Fatal("the program ended before it was ready")
		}
	case <-time.After(atMost):
		p.t.Fatal("the program is not ready")
	}
}

func (p *program) line(line []byte, ready chan bool) {
	var e struct {
		Msg   string `json:"msg"`
		Addr  string `json:"addr"`
		Admin string `json:"admin_addr"`
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Write(line)
	p.log.WriteByte('\n')
	if json.Unmarshal(line, &e) == nil && e.Msg == "ready" {
		p.addr, p.admin = e.Addr, e.Admin
		ready <- true
	}
}

// stop ends the program as an operator does and returns how it ended.
func (p *program) stop() error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		p.cmd = nil
		return err
	case <-time.After(atMost):
		p.t.Fatal("the program does not stop")
		return nil
	}
}

// kill is kill -9.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
	p.cmd = nil
}

// get fetches a page of the program.
func (p *program) get(path string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.addr+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// brain returns a model endpoint that routes by words, summarises, and otherwise
// repeats what it was shown of the conversation, so that tests see what a real
// model would have known.
func brain(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, think)
}

func think(r llmtest.Request) llmtest.Reply {
	if r.ResponseFormat != nil {
		to := "agent"
		if said := lastSaid(r); strings.Contains(said, "연차") || strings.Contains(said, "주차") {
			to = "rag"
		}
		return llmtest.JSON(map[string]string{"route": to, "reason": "test"})
	}
	system := r.Messages[0].Text()
	if strings.HasPrefix(system, "Summarise this part") {
		return llmtest.Text("SUMMARY of " + fmt.Sprint(strings.Count(r.Messages[1].Text(), "\n")+1) + " lines")
	}
	if strings.Contains(system, "passages of the team's documents") {
		return llmtest.Text("1년에 15일이에요 [1].")
	}
	var said []string
	for _, m := range r.Messages[1:] {
		if m.Role == "user" {
			said = append(said, m.Text())
		}
	}
	return llmtest.Text("You said: " + strings.Join(said, " / "))
}

func lastSaid(r llmtest.Request) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].Text()
		}
	}
	return ""
}

// atMost bounds a wait of a test that fails, on a slow and busy machine too.
const atMost = 3 * time.Minute

// firstWait is longer than a killed program holds a thread. Who waits for what is due
// after a restart adds half of it each time.
const firstWait = 6 * time.Second

// pagePoll is the pause between two looks at a page of the console, which costs the program some 10 ms of CPU.
const pagePoll = 200 * time.Millisecond

// within bounds a wait; nothing is measured with it.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// sampled reports whether a case is one of the quarter that a short run has, such
// as that of the race detector: each case starts programs of its own.
func sampled(t *testing.T, name string) bool {
	t.Helper()
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return !datatest.Short(t) || h.Sum32()%4 == 0
}

// unraced leaves a test to the long run in which one thing comes after another, or which asks on a
// second platform what another test asks on the first.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one thing after another: of what happens at once, others ask under the race detector")
	}
}

// oneLanguage leaves a short run the first of cases that differ in what is said alone.
func oneLanguage[T any](t *testing.T, cases []T) []T {
	t.Helper()
	if datatest.Short(t) {
		return cases[:1]
	}
	return cases
}

// runHere runs a subcommand in this process.
func runHere(t *testing.T, stdin string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if len(args) > 0 && slices.Contains([]string{"ask", "doctor", "ingest"}, args[0]) {
		readsPDFs(t, env)
	}
	var out, errs strings.Builder
	p := process{
		args: args, environ: env, readFile: os.ReadFile,
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs,
	}
	code = p.run(t.Context())
	return code, out.String(), errs.String()
}
