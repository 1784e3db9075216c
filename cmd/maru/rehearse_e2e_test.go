package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
	"maru/memory/memtest/servers"
	"maru/rag/eval"
)

// The planted regressions of the model "new", by room.
const (
	otherNumber = 137
	lostSource  = 161
	refuses     = 183
)

var roomAsked = regexp.MustCompile(`room (\d+)`)

// desksOf returns how many desks the documents give a room.
func desksOf(room int) int { return 20 + room%31 }

// factOf returns what the documents say of a room.
func factOf(room int) string {
	if room == lostSource {
		return fmt.Sprintf("Room %d is for the press", room)
	}
	return fmt.Sprintf("Room %d has %d desks", room, desksOf(room))
}

// registrar answers about rooms from the passages that it is shown, and about the weather with the tool. The model "new" errs
// on three rooms and asks the weather of other places for more days.
func registrar(asked *atomic.Int64) llmtest.Handler {
	return func(r llmtest.Request) llmtest.Reply {
		if r.Model == "new" {
			asked.Add(1)
		}
		said := lastSaid(r)
		m := roomAsked.FindStringSubmatch(said)
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": map[bool]string{true: "rag", false: "agent"}[m != nil], "reason": "test"})
		}
		last := r.Messages[len(r.Messages)-1]
		switch {
		case last.Role == "tool":
			return llmtest.Text("The tool says: " + last.Text())
		case m == nil && len(r.Tools) > 0 && strings.Contains(said, "weather"):
			_, place, _ := strings.Cut(said, "weather in ")
			arguments := map[string]any{"place": strings.TrimSuffix(place, "?")}
			if r.Model == "new" && strings.HasPrefix(place, "Jeju") {
				arguments["days"] = 3
			}
			return llmtest.CallTool("weather", llmtest.JSON(arguments).Text)
		case m == nil:
			return llmtest.Text("Good day.")
		}
		room, _ := strconv.Atoi(m[1])
		if r.Model == "new" {
			switch room {
			case otherNumber:
				return llmtest.Text(fmt.Sprintf("Room %d has %d desks [1].", room, desksOf(room)+5))
			case lostSource:
				return llmtest.Text(fmt.Sprintf("Which of the buildings with a room %d do you mean?", room))
			case refuses:
				return llmtest.Text("The documents do not say.")
			}
		}
		return llmtest.Text(factOf(room) + " [1].")
	}
}

// sky is OpenWeather, and counts requests.
func sky(t *testing.T, asked *atomic.Int64) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if strings.HasPrefix(r.URL.Path, "/geo/") {
			_, _ = io.WriteString(w, `[]`)
			return
		}
		_, _ = io.WriteString(w, `{"weather":[{"description":"clear sky"}],"main":{"temp":3.25,"feels_like":-1,"temp_min":1,"temp_max":5,"humidity":40},
			"wind":{"speed":2.5},"dt":1795255800,"timezone":32400,"name":"Seoul","sys":{"country":"KR"}}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// scriptedTeam is a team that asked about rooms and the weather, and what it takes to rehearse a change.
type scriptedTeam struct {
	*slackWorld

	asked, forecasts atomic.Int64 // calls of the model "new", and of the weather service
	change           string       // settings with the model "new"
	questions        int
	answers          map[string]string // by thread of the channel
}

// newScriptedTeam asks so many questions in a channel and waits for the answers.
func newScriptedTeam(t *testing.T, questions int, env ...string) *scriptedTeam {
	t.Helper()
	team := &scriptedTeam{questions: questions, answers: map[string]string{}}
	dir := t.TempDir()
	old := filepath.Join(dir, "old.yaml")
	team.change = filepath.Join(dir, "new.yaml")
	write(t, old, "model: {name: test}\n")
	write(t, team.change, "model: {name: new}\n")
	env = append([]string{
		"MARU_CONFIG=" + old, "OPENWEATHER_API_KEY=sky", "OPENWEATHER_BASE_URL=" + sky(t, &team.forecasts), "MODEL_PRICES=test=1/1,new=1/1",
		"MARU_MEMORY_EXTRACT=false", "LOG_LEVEL=info",
	}, env...)
	team.slackWorld = newSlackWorld(t, llmtest.NewServer(t, registrar(&team.asked)), env...)
	team.env = slices.DeleteFunc(team.env, func(line string) bool { return line == "OPENAI_MODEL=test" || line == "LOG_LEVEL=debug" })
	var rooms strings.Builder
	rooms.WriteString("# Rooms\n")
	for i := range questions {
		fmt.Fprintf(&rooms, "\n## Room %d\n\n%s.\n", 100+i, factOf(100+i))
	}
	write(t, filepath.Join(dir, "rooms.md"), rooms.String())
	if code, out, errs := runHere(t, "", team.env, "ingest", filepath.Join(dir, "rooms.md")); code != exitOK {
		t.Fatalf("ingest: %d %s%s", code, out, errs)
	}
	team.start()
	team.ask()
	return team
}

// ask asks all questions and waits until each is answered: first those of the weather, so that the last ones are of rooms.
func (s *scriptedTeam) ask() {
	s.t.Helper()
	rooms, weather := map[string]string{}, map[string]string{} // answers by thread
	for i := range s.questions {
		if i == 15 {
			weather[s.slack.Say("U1", "C1", "<@UBOT> what is the weather in Jeju?", "")] = "clear sky"
		} else if i%20 == 7 {
			weather[s.slack.Say("U1", "C1", "<@UBOT> what is the weather in Seoul?", "")] = "clear sky"
		}
	}
	wait := func(want map[string]string) {
		for thread, answer := range want {
			s.await("C1", thread, 1, answer)
		}
		maps.Copy(s.answers, want)
	}
	wait(weather)
	for i := range s.questions {
		if i%20 != 7 && i != 15 {
			rooms[s.slack.Say("U1", "C1", fmt.Sprintf("<@UBOT> what is in room %d?", 100+i), "")] = factOf(100 + i)
		}
	}
	wait(rooms)
	private := s.slack.Say("U1", "D1", "what is in room 101? It is for me alone", "")
	s.await("D1", private, 1, "Room 101")
}

// rehearse runs the command beside the program and returns what it prints.
func (s *scriptedTeam) rehearse(args ...string) (code int, out, errs string) {
	s.t.Helper()
	return runHere(s.t, "", append(slices.Clone(s.env), "LANG=en_US.UTF-8"), append([]string{"rehearse", "--against", s.change, "--channel", "slack/T1/C1"}, args...)...)
}

var timing = regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`)

// TestRehearsalFindsRegressions replays the questions of a scripted team with another model: the three planted regressions
// come first, nothing leaves the program, and a rehearsal that was killed in the middle comes to the same report.
func TestRehearsalFindsRegressions(t *testing.T) {
	t.Parallel()
	unraced(t)
	findRegressions(t, 200)
}

// TestRehearsalOnPostgres does the same with the record in PostgreSQL.
func TestRehearsalOnPostgres(t *testing.T) {
	t.Parallel()
	unraced(t)
	findRegressions(t, 100, "DATABASE_URL="+servers.StartPostgres(t).URL)
}

// sentNothing checks that Slack was sent nothing after its first calls, other than the last edits and marks of the answers
// that people were given, which a busy machine sends later.
func (s *scriptedTeam) sentNothing(calls int) {
	s.t.Helper()
	for _, c := range s.slack.Calls("")[calls:] {
		if strings.HasPrefix(c.Method, "chat.") && c.Method != "chat.update" || c.Method == "reactions.add" || strings.HasPrefix(c.Method, "files.") || strings.HasPrefix(c.Method, "views.") {
			s.t.Errorf("Slack was sent %s", c.Method)
		}
	}
	for thread, answer := range s.answers {
		if said := s.bots("C1", thread); len(said) != 1 || !strings.Contains(said[0], answer) {
			s.t.Errorf("instead of %q the thread says %q", answer, said)
		}
	}
}

func findRegressions(t *testing.T, questions int, env ...string) {
	t.Helper()
	s := newScriptedTeam(t, questions, env...)
	calls, forecasts := len(s.slack.Calls("")), s.forecasts.Load()
	page, set := filepath.Join(t.TempDir(), "report.html"), filepath.Join(t.TempDir(), "set.jsonl")
	code, out, errs := s.rehearse("--html", page)
	if code != exitOK {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	first := regexp.MustCompile(`(?m)^[123]\. .*`).FindAllString(out, -1)
	want := []string{
		fmt.Sprintf("1. [declines now, source lost] what is in room %d?", refuses),
		fmt.Sprintf("2. [other numbers] what is in room %d?", otherNumber),
		fmt.Sprintf("3. [source lost] what is in room %d?", lostSource),
	}
	if !slices.Equal(first, want) {
		t.Errorf("first come %q, want %q", first, want)
	}
	for _, want := range []string{fmt.Sprintf("%d questions replayed: 3 answers changed, 0 differ only in wording, %d are unchanged, 1 can't be compared", questions, questions-4), `weather {"days":3,"place":"Jeju"}`} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	whole, err := os.ReadFile(page)
	if err != nil || strings.Contains(string(whole), "for me alone") || strings.Count(string(whole), "<details") != questions {
		t.Errorf("the page has %d questions, %v", strings.Count(string(whole), "<details"), err)
	}

	// The same report after a kill in the middle.
	full := s.asked.Swap(0)
	ended := make(chan string, 1)
	go func() {
		_, out, errs := runHere(t, "", append(slices.Clone(s.env), "LANG=en_US.UTF-8"), "rehearse", "--against", s.change, "--channel", "slack/T1/C1", "--fresh")
		ended <- out + errs
	}()
	for ctx := within(t, atMost); s.asked.Load() < 60; time.Sleep(2 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("the rehearsal does not get on")
		}
	}
	s.kill()
	if got := <-ended; strings.Contains(got, "questions replayed") {
		t.Errorf("it was over before the kill: %s", got)
	}
	s.start()
	before := s.asked.Load()
	again := filepath.Join(t.TempDir(), "again.html")
	code, resumed, errs := s.rehearse("--html", again, "--save", set, "--pick", "1,2,3")
	if code != exitOK || !strings.HasPrefix(resumed[strings.Index(resumed, "Rehearsal"):], strings.TrimSpace(out[strings.Index(out, "Rehearsal"):])) {
		t.Errorf("%d\n%s%s\nand before\n%s", code, resumed, errs, out)
	}
	if n := s.asked.Load() - before; n == 0 || n > full-50 {
		t.Errorf("%d model calls after the kill, and %d in all: it did not go on where it was", n, full)
	}
	second, err := os.ReadFile(again)
	if err != nil || timing.ReplaceAllString(string(second), "") != timing.ReplaceAllString(string(whole), "") {
		t.Errorf("another page after the kill, %v", err)
	}
	cases, err := eval.ReadCases(set)
	if err != nil || len(cases) != 3 || len(cases[0].Relevant) != 1 {
		t.Errorf("saved %+v, %v", cases, err)
	}

	// Nothing left the program and nobody's usage grew.
	s.sentNothing(calls)
	if n := s.forecasts.Load() - forecasts; n != 0 {
		t.Errorf("the weather was asked %d times", n)
	}
}

// TestRehearsalOfOtherChanges: a setting, a workflow and documents are tried without being saved anywhere, beside a running
// program and without one; a request of a workflow is not sent.
func TestRehearsalOfOtherChanges(t *testing.T) {
	t.Parallel()
	unraced(t)
	s := newScriptedTeam(t, 8)
	s.env = append(s.env, "MARU_HTTP_INSIDE=127.0.0.1")
	forecasts := s.forecasts.Load()
	sky := strings.TrimPrefix(s.env[slices.IndexFunc(s.env, func(l string) bool { return strings.HasPrefix(l, "OPENWEATHER_BASE_URL=") })], "OPENWEATHER_BASE_URL=")
	sends := definitionFile(t, `{"id":"sends","name":"Sends","version":"1","nodes":[{"id":"start","node_type":"start"},
  {"id":"send","node_type":"http_request","config":{"url":"`+sky+`/data","method":"POST","hosts":["`+strings.TrimPrefix(sky, "http://")+`"]}},{"id":"end","node_type":"end"}],
  "edges":[{"source":"start","target":"send"},{"source":"send","target":"end"}]}`)
	asks := definitionFile(t, asking)
	page := filepath.Join(t.TempDir(), "picnic.md")
	write(t, page, "# Picnic\n\nThe picnic is in July.\n")
	rehearse := func(want []string, args ...string) {
		t.Helper()
		code, out, errs := runHere(t, "", append(slices.Clone(s.env), "LANG=ko_KR.UTF-8"), append([]string{"rehearse"}, args...)...)
		for _, w := range want {
			if code != exitOK || !strings.Contains(out, w) {
				t.Errorf("%q lacks %q: %d\n%s%s", args, w, code, out, errs)
			}
		}
	}
	rehearse([]string{"질문 8개를 다시 물었어요", "비교할 수 없는 것 8개", `http_request "POST ` + sky + `/data"`}, "--definition", sends, "--set", "agent=sends")
	rehearse([]string{"답이 바뀐 것 8개", "+ sent what is in room 100?"}, "--definition="+asks, "--set", "agent=asking", "--last", "8")
	rehearse([]string{"질문 3개를 다시 물었어요", "3개 질문 중 0개는"}, "--set", "persona=brief", "--baseline", "--last", "3", "--cost", "5", "--time", "5m")
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	rehearse([]string{"질문 8개를 다시 물었어요", "이제 답하지 않음"}, "--documents", page)
	if n := s.forecasts.Load() - forecasts; n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "it wants a change", nil},
		{exitUsage, "use one of", []string{"--set", "agent=nobody"}},
		{exitUsage, `there is no setting "agentt"; did you mean agent?`, []string{"--set", "agentt=chat"}},
		{exitUsage, "KEY=VALUE", []string{"--set", "agent"}},
		{exitUsage, "a channel is", []string{"--set", "agent=chat", "--channel", "slack/C1"}},
		{exitUsage, "--save FILE", []string{"--set", "agent=chat", "--pick", "1"}},
		{exitUsage, "numbers of the report", []string{"--set", "agent=chat", "--save", page + ".jsonl", "--pick", "x"}},
		{exitFailed, "cannot be read", []string{"--against", page + ".yaml"}},
		{exitFailed, "no such file", []string{"--definition", page + ".json"}},
	} {
		code, out, errs := runHere(t, "", s.env, append([]string{"rehearse"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d, want %q\n%s%s", c.args, code, c.want, out, errs)
		}
	}
}
