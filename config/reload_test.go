package config_test

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"maru/config"
)

// TestReload reads a file again: what a running program can take over holds, what needs a restart is named and does not,
// and a file with a fault changes nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	const before = "log: {level: info}\nplace: {language: en}\napprovals: {plan: true}\nrun: {workers: 4}\nmodel: {prices: 'm=1/2'}\n"
	read := func(text string) config.Source {
		return config.Source{Environ: []string{"MARU_CONFIG=maru.yaml", "MARU_REACT=true"}, Read: func(string) ([]byte, error) { return []byte(text), nil }}
	}
	none := func(*config.Config) error { return nil }
	cases := []struct {
		name, text       string
		check            func(*config.Config) error
		changed, restart []string
		fails            bool
		holds            func(config.Config, slog.Level) bool
	}{
		{"nothing", before, none, nil, nil, false, func(c config.Config, l slog.Level) bool { return l == slog.LevelInfo && c.Approvals.Plan }},
		{
			"live", "log: {level: debug}\nplace: {language: ko}\napprovals: {plan: false, expires: 2h}\nrun: {workers: 4}\nmodel: {prices: 'm=3/4'}\n", none,
			[]string{"MODEL_PRICES", "LOG_LEVEL", "MARU_LANGUAGE", "ENABLE_PLAN_APPROVAL", "MARU_APPROVAL_EXPIRES"}, nil, false,
			func(c config.Config, l slog.Level) bool {
				return l == slog.LevelDebug && c.Place.Language == "ko" && !c.Approvals.Plan && c.Approvals.Step && c.Decisions.Expires == 2*time.Hour && c.Model.Cost("m", 1_000_000, 0, 0) == 3
			},
		},
		{
			"all_approvals", "log: {level: info}\nplace: {language: en}\napprovals: {all: false, plan: true}\nrun: {workers: 4}\nmodel: {prices: 'm=1/2'}\n", none,
			[]string{"ENABLE_CLARIFICATION_APPROVAL", "ENABLE_STEP_APPROVAL"}, nil, false,
			func(c config.Config, _ slog.Level) bool { return c.Approvals == config.Approvals{Plan: true} },
		},
		{
			"needs_a_restart", before + "http: {addr: '127.0.0.1:1'}\ntokens: [{name: ci, token: 0123456789abcdef0123456789abcdef}]\nmcp: [{name: files, command: x}]\n", none,
			nil, []string{"HTTP_ADDR", "mcp", "tokens"}, false,
			func(c config.Config, _ slog.Level) bool { return c.HTTP.Addr != "127.0.0.1:1" },
		},
		{
			"models", before + "models: {plan: {name: planner, endpoint: 'http://127.0.0.1:1/v1'}, sets: {home: {answer: {name: own, endpoint: 'http://127.0.0.1:1/v1'}}}}\n", none,
			nil, []string{"models"}, false, func(c config.Config, _ slog.Level) bool { return len(c.Models.Roles) == 0 },
		},
		{
			"context_of_the_model", before + "models: {answer: {limits: {context: 9000}}}\n", none,
			nil, []string{"models"}, false, func(c config.Config, _ slog.Level) bool { return c.Model.Context == 0 },
		},
		{"fault", "log: {level: loud}\n", none, nil, nil, true, func(c config.Config, l slog.Level) bool { return l == slog.LevelInfo && c.Place.Language == "en" }},
		{"refused", "log: {level: debug}\n", func(*config.Config) error { return errors.New("no such agent") }, nil, nil, true, func(_ config.Config, l slog.Level) bool { return l == slog.LevelInfo }},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _, err := config.Load(read(before))
			if err != nil {
				t.Fatal(err)
			}
			live := config.NewLive(c)
			got, err := live.Reload(read(tt.text), tt.check)
			if (err != nil) != tt.fails {
				t.Fatalf("error %v", err)
			}
			if !slices.Equal(got.Changed, tt.changed) || !slices.Equal(got.Restart, tt.restart) || !tt.fails && (got.Changed == nil || got.Restart == nil) {
				t.Errorf("reloaded %+v", got)
			}
			if !tt.holds(live.Now(), live.Now().Log.Level) {
				t.Errorf("holds %+v, level %s", live.Now().Place, live.Now().Log.Level)
			}
		})
	}
}

// TestReloadPricesBesideRoles: a price that changes holds at once and is no change of the roles, which keep their models.
func TestReloadPricesBesideRoles(t *testing.T) {
	t.Parallel()
	const roles = "models: {plan: {name: planner, endpoint: 'http://127.0.0.1:1/v1'}}\n"
	read := func(prices string) config.Source {
		return config.Source{Environ: []string{"MARU_CONFIG=maru.yaml"}, Read: func(string) ([]byte, error) { return []byte("model: {prices: '" + prices + "'}\n" + roles), nil }}
	}
	c, _, err := config.Load(read("m=1/2"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.NewLive(c).Reload(read("m=3/4"), func(*config.Config) error { return nil })
	if err != nil || !slices.Equal(got.Changed, []string{"MODEL_PRICES"}) || len(got.Restart) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
