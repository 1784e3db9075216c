package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"maru/config"
)

// from loads settings from an environment, a YAML file and arguments.
func from(env []string, file string, args ...string) (config.Config, []string, error) {
	return fromFiles(env, map[string]string{"maru.yaml": file}, args...)
}

func fromFiles(env []string, files map[string]string, args ...string) (config.Config, []string, error) {
	if files["maru.yaml"] != "" {
		env = append(env, "MARU_CONFIG=maru.yaml")
	}
	return config.Load(config.Source{Args: args, Environ: env, Read: func(path string) ([]byte, error) {
		data, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(data), nil
	}})
}

func TestLoadWithNothingSetIsUsable(t *testing.T) {
	t.Parallel()
	c, rest, err := from(nil, "")
	if err != nil || len(rest) != 0 || len(c.Warnings) != 0 {
		t.Fatalf("err %v, rest %v, warnings %v", err, rest, c.Warnings)
	}
	if c.HTTP.Addr != "127.0.0.1:8080" || c.HTTP.AdminAddr != "127.0.0.1:9090" || c.Store.DataDir != "data" {
		t.Errorf("listeners and folder: %+v %+v", c.HTTP, c.Store)
	}
	if c.Thread != (config.Thread{MaxMessages: 10, KeepRecent: 5, MaxSummaries: 3}) {
		t.Errorf("thread window: %+v", c.Thread)
	}
	if c.Model.On() || c.Slack.On() || c.Discord.On() {
		t.Error("a part is on that nobody configured")
	}
	if c.Approvals != (config.Approvals{Clarification: true, Plan: true, Step: true}) {
		t.Errorf("approvals: %+v", c.Approvals)
	}
	if c.Documents.MaxFile != 20<<20 || c.Slack.APIURL != "https://slack.com/api/" {
		t.Errorf("defaults: %+v %+v", c.Documents, c.Slack)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	file := "thread:\n  max_messages: 20\n  keep_recent: 7\n  max_summaries: 9\n"
	c, rest, err := from([]string{"MAX_MESSAGES=30", "KEEP_RECENT=8"}, file, "ask", "--max-messages", "40", "why?")
	if err != nil {
		t.Fatal(err)
	}
	if c.Thread != (config.Thread{MaxMessages: 40, KeepRecent: 8, MaxSummaries: 9}) {
		t.Errorf("got %+v", c.Thread)
	}
	if !reflect.DeepEqual(rest, []string{"ask", "why?"}) {
		t.Errorf("rest %q", rest)
	}
	want := map[string]string{
		"MAX_MESSAGES": "flag --max-messages", "KEEP_RECENT": "environment", "MAX_SUMMARIES": "maru.yaml:4", "LOG_LEVEL": "default", "REDIS_URL": "",
	}
	for _, v := range c.Values() {
		if from, ok := want[v.Var]; ok && v.From != from {
			t.Errorf("%s comes from %q, want %q", v.Var, v.From, from)
		}
	}
}

func TestEverySettingHasAllItsDoors(t *testing.T) {
	t.Parallel()
	vars, keys, flags := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, g := range config.Table() {
		for _, s := range g.Settings {
			if vars[s.Var] || keys[s.Key] || flags[s.Flag()] || s.Help == "" {
				t.Errorf("%s is twice in the table or has no help", s.Var)
			}
			vars[s.Var], keys[s.Key], flags[s.Flag()] = true, true, true
		}
	}
	for _, v := range []string{ // the environment contract
		"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_API_URL", "DISCORD_BOT_TOKEN", "DISCORD_API_URL",
		"DISCORD_PUBLIC_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_EMBEDDING_MODEL", "OPENAI_API_TYPE",
		"OPENAI_API_VERSION", "REDIS_URL", "DATABASE_URL", "HTTP_ADDR", "ADMIN_ADDR", "LOG_LEVEL", "DATA_DIR", "ENABLE_HITL",
		"ENABLE_CLARIFICATION_APPROVAL", "ENABLE_PLAN_APPROVAL", "ENABLE_STEP_APPROVAL", "AUTO_TOOL_DETECTION",
		"TOOL_CHECK_INTERVAL", "MAX_MESSAGES", "KEEP_RECENT", "MAX_SUMMARIES", "OPENWEATHER_API_KEY", "TAVILY_API_KEY",
		"GOOGLE_API_KEY", "GOOGLE_CSE_ID",
	} {
		if !vars[v] {
			t.Errorf("%s is not a setting", v)
		}
	}
}

func TestSourcesOfOneValue(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  []string
		file string
		args []string
	}{
		"variable":             {env: []string{"TAVILY_API_KEY=tvly-1"}},
		"variable with blanks": {env: []string{"TAVILY_API_KEY= tvly-1 "}},
		"variable of a file":   {env: []string{"TAVILY_API_KEY_FILE=/run/secrets/tavily"}},
		"flag":                 {args: []string{"--tavily-api-key=tvly-1"}},
		"flag with one dash":   {args: []string{"-tavily-api-key", "tvly-1"}},
		"flag of a file":       {args: []string{"--tavily-api-key-file", "/run/secrets/tavily"}},
		"yaml":                 {file: "tools: {tavily_api_key: tvly-1}"},
		"yaml alias":           {file: "tools: {tavily_api_key: &k tvly-1}\nmodel: {api_key: *k}"},
		"yaml of a file":       {file: "tools:\n  tavily_api_key_file: /run/secrets/tavily"},
		"file beats yaml":      {env: []string{"TAVILY_API_KEY_FILE=/run/secrets/tavily"}, file: "tools: {tavily_api_key: tvly-2}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, err := fromFiles(tc.env, map[string]string{"maru.yaml": tc.file, "/run/secrets/tavily": "tvly-1\n"}, tc.args...)
			if err != nil || c.Tools.TavilyKey.Reveal() != "tvly-1" {
				t.Errorf("got %q, %v", c.Tools.TavilyKey.Reveal(), err)
			}
		})
	}
}

func TestApprovalsFollowHITLUnlessSetThemselves(t *testing.T) {
	t.Parallel()
	c, _, err := from([]string{"ENABLE_HITL=false"}, "approvals: {plan: on}")
	if err != nil || c.Approvals != (config.Approvals{Plan: true}) {
		t.Errorf("got %+v, %v", c.Approvals, err)
	}
}

func TestValuesOfEachKind(t *testing.T) {
	t.Parallel()
	c, _, err := from([]string{
		"OPENAI_BASE_URL=http://127.0.0.1:11434/v1/", "OPENAI_MODEL=qwen3", "TOOL_CHECK_INTERVAL=300", "MARU_MAX_FILE=1.5 MB",
		"OPENAI_TEMPERATURE=0", "ADMIN_ADDR=off", "MODEL_PRICES=a=1/2, meta/b=0.4/1.6/0.1", "SLACK_API_URL=http://127.0.0.1:1/api",
		"REDIS_URL=", "MARU_REACT=Yes", "LOG_LEVEL=DEBUG", "MARU_ENGAGE=Always",
	}, "model: {fallbacks: [small, tiny]}")
	if err != nil {
		t.Fatal(err)
	}
	if !c.Model.On() || c.Model.BaseURL != "http://127.0.0.1:11434/v1" || *c.Model.Temperature != 0 || !reflect.DeepEqual(c.Model.Fallbacks, []string{"small", "tiny"}) {
		t.Errorf("model %+v", c.Model)
	}
	if c.Tools.CheckInterval != 5*time.Minute || c.Documents.MaxFile != 1_500_000 || c.HTTP.AdminAddr != "" || !c.Place.React || c.Place.Engage != "always" || c.Log.Level != slog.LevelDebug {
		t.Errorf("%v %v %q", c.Tools.CheckInterval, c.Documents.MaxFile, c.HTTP.AdminAddr)
	}
	want := map[string]config.Price{"a": {Input: 1, Output: 2, Cached: 1}, "meta/b": {Input: 0.4, Output: 1.6, Cached: 0.1}}
	if !reflect.DeepEqual(c.Model.Prices, want) || c.Slack.APIURL != "http://127.0.0.1:1/api/" {
		t.Errorf("prices %v, slack %q", c.Model.Prices, c.Slack.APIURL)
	}
	c, _, err = from(nil, "model:\n  prices:\n    a: {input: 1, output: 2}\n    meta/b: {input: 0.4, output: 1.6, cached: 0.1}\n")
	if err != nil || !reflect.DeepEqual(c.Model.Prices, want) {
		t.Errorf("prices of the file %v, %v", c.Model.Prices, err)
	}
}

func TestOtherProgramsVariablesAndFlagsAreLeftAlone(t *testing.T) {
	t.Parallel()
	env := []string{
		"PATH=/bin", "HOME=/root", "TZ=Asia/Seoul", "LANG=C", "HTTP_PROXY=http://p:1", "HTTPS_PROXY=http://p:1", "GOOGLE_APPLICATION_CREDENTIALS=/x",
		"GOOGLE_CLOUD_PROJECT=x", "OPENAI_ORGANIZATION=x", "OPENAI_ORG_ID=x", "XDG_DATA_DIRS=/x", "REDIS_PORT=1", "MARU_SERVICE_HOST=1", "MARU_PORT=tcp://1:1",
		"MARU_PORT_8080_TCP_ADDR=1", "MARU_SERVICE_PORT_HTTP=1", "MARU_TEST_REDIS_URL=x", "SLACK_WEBHOOK_URL=x", "PYTHONPATH=x", "broken",
	}
	args := []string{
		"ask", "--json", "--quiet", "--thread=x", "--version", "--verbose", "--help", "-h", "--scope", "x", "--output=y", "--delete", "--format", "z",
		"--timeout=3", "-3+4 는?", "-", "--", "--http-addr", ":1",
	}
	c, rest, err := from(env, "", args...)
	if err != nil || len(c.Warnings) > 0 || !reflect.DeepEqual(rest, args) {
		t.Errorf("err %v, warnings %v, rest %q", err, c.Warnings, rest)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ env, want string }{
		{"REDIS_URL=redis://:pw@cache:6379/0", "REDIS_URL reaches another machine without TLS"},
		{"DATABASE_URL=postgres://u:pw@db/maru", "DATABASE_URL reaches another machine without checked TLS"},
		{"DATABASE_URL=postgres://u:pw@db/maru?sslmode=require", "DATABASE_URL"},
		{"ADMIN_ADDR=:9090", "ADMIN_ADDR is reachable"},
		{"OPENAI_API_VERSION=2024-10-21", "it is not used"},
		{"OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_MODEL is not set"},
		{"LOGLEVEL=debug", "did you mean LOG_LEVEL?"},
		{"DISCORD_TOKEN=x", "did you mean DISCORD_BOT_TOKEN?"},
		{"REDIS_URLS=x", "did you mean REDIS_URL?"},
		{"TAVILY_API_KEY=k,TAVILY_BASE_URL=http://search.example", "TAVILY_BASE_URL sends a secret"},
		{"SLACK_BOT_TOKEN=xoxb-1,SLACK_APP_TOKEN=xapp-1,SLACK_SIGNING_SECRET=s", "Socket Mode is used"},
		{"TAVILY_API_KEY=k,GOOGLE_API_KEY=k,GOOGLE_CSE_ID=c", "Tavily is used"},
	} {
		c, _, err := from(strings.Split(tc.env, ","), "")
		if err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings.Error(), tc.want) {
			t.Errorf("%s: err %v, warnings %v", tc.env, err, c.Warnings)
		}
	}
	for _, quiet := range []string{
		"REDIS_URL=rediss://:pw@cache:6379", "REDIS_URL=redis://[::1]:6379", "REDIS_URL=unix:///run/redis.sock",
		"DATABASE_URL=postgres://u:pw@db/maru?sslmode=verify-full", "DATABASE_URL=postgres://localhost/maru", "DATABASE_URL=postgres:///maru?host=/run/postgresql",
	} {
		if c, _, err := from([]string{quiet}, ""); err != nil || len(c.Warnings) != 0 {
			t.Errorf("%s: err %v, warnings %v", quiet, err, c.Warnings)
		}
	}
}

func TestAllFaultsAtOnceInOneError(t *testing.T) {
	t.Parallel()
	_, _, err := from([]string{"MAX_MESSAGES=many", "LOG_LEVEL=loud", "SLACK_APP_TOKEN=xapp-1"}, "tols: {}\nhttp: {addr: nowhere}", "--htp-addr=x")
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != 6 {
		t.Fatalf("got %d faults: %v", len(faults), err)
	}
	if !strings.HasPrefix(err.Error(), "6 settings are wrong:\n  - ") {
		t.Error(err)
	}
}

func ExampleLoad() {
	_, _, err := config.Load(config.Source{Environ: []string{"SLACK_BOT_TOKN=xoxb-1", "MAX_MESSAGES=ten"}})
	fmt.Println(err)
	// Output:
	// 2 settings are wrong:
	//   - MAX_MESSAGES (environment) is "ten": use a whole number
	//   - SLACK_BOT_TOKN (environment) is unknown: did you mean SLACK_BOT_TOKEN?
}

func TestShortTimeoutBoundsTheOthers(t *testing.T) {
	t.Parallel()
	load := func(environ ...string) config.Config {
		c, _, err := config.Load(config.Source{Environ: environ})
		if err != nil {
			t.Errorf("%v: %v", environ, err)
		}
		return c
	}
	if m := load("OPENAI_TIMEOUT=3s").Model; m.IdleTimeout != 3*time.Second || m.FirstTimeout != 1500*time.Millisecond {
		t.Errorf("idle timeout %s, first %s", m.IdleTimeout, m.FirstTimeout)
	}
	if v := load("MARU_TOOL_TIMEOUT=4s").Tools; v.Timeout != 4*time.Second || v.PythonTimeout != 4*time.Second {
		t.Errorf("tools take %s, Python %s", v.Timeout, v.PythonTimeout)
	}
	if c := load("MARU_RUN_TIMEOUT=10s"); c.Tools.Timeout != 10*time.Second || c.Tools.PythonTimeout != 5*time.Second {
		t.Errorf("in a run of 10 s tools take %s, Python %s", c.Tools.Timeout, c.Tools.PythonTimeout)
	}
}
