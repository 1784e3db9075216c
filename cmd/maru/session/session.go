// Package session keeps the turns of a workflow that somebody tries in a terminal. It must not know the record.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"maru/agent/workflow"
)

// Log appends turns to a file, one JSON object per line, for authors who compare a workflow's answers
// before and after a change. Only `maru workflow run` uses it: served threads are in the record, where they can be
// forgotten.
type Log struct{ Path string }

var _ workflow.SessionLog = Log{}

// loggedTurn is the line of a turn.
type loggedTurn struct {
	At         time.Time `json:"at"`
	Run        string    `json:"run"`
	Input      string    `json:"input"`
	Answer     string    `json:"answer"`
	Difficulty string    `json:"difficulty,omitempty"`
}

// Append adds a turn to the file and creates it if it is not there. One write
// makes a line, so that two programs may append to one file.
func (l Log) Append(_ context.Context, t workflow.Transcript) (err error) {
	line, err := json.Marshal(loggedTurn{At: t.At, Run: t.Run, Input: t.Input, Answer: t.Answer, Difficulty: t.Difficulty})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(append(line, '\n'))
	return err
}
