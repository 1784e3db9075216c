package config

import (
	"reflect"
	"slices"
	"sync/atomic"
)

// reloadable are the settings that a running program takes over: what holds in places where nothing is
// set, prices and the log's level. All others belong to something that is opened at the start.
var reloadable = []string{
	"LOG_LEVEL", "MODEL_PRICES", "MARU_AGENT", "MARU_LANGUAGE", "MARU_ENGAGE", "MARU_REACT", "MARU_PERSONA", "MARU_ON_LEAVE", "MARU_RETENTION",
	"ENABLE_CLARIFICATION_APPROVAL", "ENABLE_PLAN_APPROVAL", "ENABLE_STEP_APPROVAL", "MARU_APPROVERS", "MARU_TWO_PEOPLE",
	"MARU_APPROVAL_EXPIRES", "MARU_APPROVAL_REMINDER", "MARU_WHILE_BUSY", "MARU_ON_EDIT", "MARU_FEEDBACK", "MARU_AUTO_STEPS",
}

// Live holds the settings of a running program, which an operator may change. It is safe for concurrent use.
type Live struct {
	now atomic.Pointer[Config]
}

// NewLive returns a holder of c.
func NewLive(c Config) *Live {
	l := &Live{}
	l.now.Store(&c)
	return l
}

// Now returns the settings that hold now.
func (l *Live) Now() Config { return *l.now.Load() }

// Reloaded names the variables whose values changed: those that hold from now on, and those that need a
// restart.
type Reloaded struct{ Changed, Restart []string }

// Reload reads the settings again and takes over what a running program can. With faults, those that
// check finds among them, nothing changes.
func (l *Live) Reload(src Source, check func(*Config) error) (Reloaded, error) {
	read, _, err := Load(src)
	if err == nil {
		err = check(&read)
	}
	if err != nil {
		return Reloaded{}, err
	}
	now := l.Now()
	out := Reloaded{Changed: []string{}, Restart: []string{}} // in the log an empty list, not null
	for _, s := range all() {
		is, wants := reflect.ValueOf(s.into(&now)), reflect.ValueOf(s.into(&read))
		if is.Kind() != reflect.Pointer || reflect.DeepEqual(is.Elem().Interface(), wants.Elem().Interface()) { // not a pointer: a short form of others
			continue
		}
		if !slices.Contains(reloadable, s.Var) {
			out.Restart = append(out.Restart, s.Var)
			continue
		}
		is.Elem().Set(wants.Elem())
		out.Changed = append(out.Changed, s.Var)
	}
	for _, g := range []struct {
		key       string
		is, wants any
	}{
		{modelsKey, []any{now.Models, now.Model.Context, now.Model.Embedding.Timeout}, []any{read.Models, read.Model.Context, read.Model.Embedding.Timeout}},
		{"OPENAI_API_TYPE", now.Model.Azure, read.Model.Azure},
		{mcpKey, now.Tools.MCP, read.Tools.MCP}, {sourcesKey, now.Documents.Sources, read.Documents.Sources}, {tokensKey, now.HTTP.Tokens, read.HTTP.Tokens},
	} {
		if !reflect.DeepEqual(g.is, g.wants) {
			out.Restart = append(out.Restart, g.key)
		}
	}
	l.now.Store(&now)
	return out, nil
}
