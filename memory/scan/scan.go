// Package scan reads rows of the record, for memory/sqlitestore and memory/pgstore: one function for each table whose columns
// both select in the same order. Tables of the path of a message are read by the stores themselves, each in its database's
// own types.
//
// It must not know either database beyond how it stores a time, see [Time].
package scan

import (
	"encoding/json"
	"fmt"
	"time"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/definition"
	"maru/bot/modeluse"
	"maru/bot/outside"
	"maru/bot/overview"
	"maru/bot/parking"
	"maru/rag/source"
)

// Row is a row of a result, as database/sql and pgx have it.
type Row interface{ Scan(dest ...any) error }

// Time is a point in time to scan into, in UTC: microseconds since 1970 in SQLite, a timestamp in PostgreSQL. 0 and NULL
// are the zero time.
type Time time.Time

// Scan implements [database/sql.Scanner].
func (t *Time) Scan(from any) error {
	switch v := from.(type) {
	case nil:
		*t = Time{}
	case time.Time:
		*t = Time(v.UTC())
	case int64:
		if *t = (Time{}); v != 0 {
			*t = Time(time.UnixMicro(v).UTC())
		}
	default:
		return fmt.Errorf("scan: %T is no time", from)
	}
	return nil
}

func at(t *time.Time) *Time { return (*Time)(t) }

// raw lets a column be scanned into raw JSON.
func raw(m *json.RawMessage) *[]byte { return (*[]byte)(m) }

// Source reads name, version, team, body and progress of a source. The columns are newer than the body.
func Source[R Row](r R) (row source.Row, err error) {
	var head source.Row
	var body, progress []byte
	if err := r.Scan(&head.Name, &head.Version, &head.Team, &body, &progress); err != nil {
		return row, err
	}
	if err := json.Unmarshal(body, &row); err != nil {
		return row, err
	}
	row.Name, row.Version, row.Team = head.Name, head.Version, head.Team
	return row, json.Unmarshal(progress, &row.Progress)
}

// SourceItem reads id, sweep, state, due and body of an item of a source.
func SourceItem[R Row](r R) (e source.Entry, err error) {
	var head source.Entry
	var body []byte
	if err := r.Scan(&head.ID, &head.Sweep, &head.State, at(&head.Due), &body); err != nil {
		return e, err
	}
	err = json.Unmarshal(body, &e)
	e.ID, e.Sweep, e.State, e.Due = head.ID, head.Sweep, head.State, head.Due
	return e, err
}

// ToolServer reads name, version, team and body of an MCP server that admins added.
func ToolServer[R Row](r R) (row attached.Row, err error) {
	var body []byte
	if err := r.Scan(&row.Name, &row.Version, &row.Team, &body); err != nil {
		return row, err
	}
	return row, json.Unmarshal(body, &row)
}

// Schedule reads id, version, state, due and body of a schedule.
func Schedule[R Row](r R) (row calendar.Row, err error) {
	var head calendar.Row
	var body []byte
	if err := r.Scan(&head.ID, &head.Version, &head.State, at(&head.Due), &body); err != nil {
		return row, err
	}
	err = json.Unmarshal(body, &row)
	row.ID, row.Version, row.State, row.Due = head.ID, head.Version, head.State, head.Due
	return row, err
}

// Token reads id, hash, expires and body of a token of another program.
func Token[R Row](r R) (t outside.Token, err error) {
	var head outside.Token
	var body []byte
	if err := r.Scan(&head.ID, &head.Hash, at(&head.Expires), &body); err != nil {
		return t, err
	}
	err = json.Unmarshal(body, &t)
	t.ID, t.Hash, t.Expires = head.ID, head.Hash, head.Expires
	return t, err
}

// Filed reads id, key, contents, receipt and body of another program's request.
func Filed[R Row](r R) (f outside.Filed, err error) {
	var head outside.Filed
	var body []byte
	if err := r.Scan(&head.ID, &head.Key, &head.Contents, &head.Receipt, &body); err != nil {
		return f, err
	}
	err = json.Unmarshal(body, &f)
	f.ID, f.Key, f.Contents, f.Receipt = head.ID, head.Key, head.Contents, head.Receipt
	return f, err
}

// Definition reads all columns of a version of a workflow.
func Definition[R Row](r R) (v definition.Version, err error) {
	err = r.Scan(&v.ID, &v.N, &v.Text, &v.By, at(&v.At), &v.Restores)
	return v, err
}

// Install reads all columns of an installation.
func Install[R Row](r R) (v bot.Installation, err error) {
	err = r.Scan(&v.Platform, &v.Team, &v.Enterprise, &v.Org, &v.Name, &v.BotUser, &v.By, &v.Scopes, &v.Secret,
		at(&v.Expires), &v.State, &v.Why, at(&v.Installed), at(&v.Updated), &v.Version, &v.OnLeave)
	return v, err
}

// Run reads a run with its thread for a list.
func Run[R Row](r R) (v overview.Run, err error) {
	var usage []byte
	var worked int64
	t := &v.Thread
	err = r.Scan(&v.ID, &t.Platform, &t.Team, &t.Channel, &t.ID, &t.Direct, &v.Title, &v.Agent, &v.User, &v.Name, &v.Status,
		at(&v.Started), at(&v.Ended), &worked, &usage)
	v.Worked = time.Duration(worked) * time.Microsecond
	if len(usage) > 0 {
		_ = json.Unmarshal(usage, &v.Usage) // an unreadable cost counts as 0, as in the sums
	}
	return v, err
}

// Person reads a person of a list with the number of their runs.
func Person[R Row](r R) (p overview.Person, err error) {
	err = r.Scan(&p.Platform, &p.Team, &p.User, &p.Runs, at(&p.Last), &p.Name)
	return p, err
}

// Channel reads platform, team and channel, as a key.
func Channel[R Row](r R) (string, error) {
	var t bot.Thread
	err := r.Scan(&t.Platform, &t.Team, &t.Channel)
	return t.TeamKey() + "/" + bot.Esc(t.Channel), err
}

// Thread reads a thread with its title and times.
func Thread[R Row](r R) (v bot.ThreadInfo, err error) {
	t := &v.Thread
	err = r.Scan(&t.Platform, &t.Team, &t.Channel, &t.ID, &t.Direct, &v.Title, at(&v.Created), at(&v.Updated))
	return v, err
}

// ThreadWith reads a thread and whether a person is alone in it.
func ThreadWith[R Row](r R) (v bot.ThreadWith, err error) {
	t := &v.Thread
	err = r.Scan(&t.Platform, &t.Team, &t.Channel, &t.ID, &t.Direct, &v.Alone)
	return v, err
}

// TeamOf reads a workspace's ID, or else the key of one of its people.
func TeamOf[R Row](r R) (string, error) {
	var team, person string
	if err := r.Scan(&team, &person); err != nil || person == "" {
		return team, err
	}
	t, err := bot.ParseThread(person + "/")
	return t.Team, err
}

// ParkedItem reads id, thread, kind, body, at and ended of an item.
func ParkedItem[R Row](r R) (it parking.Item, err error) {
	err = r.Scan(&it.ID, &it.Thread, &it.Kind, raw(&it.Body), at(&it.At), at(&it.Parked))
	return it, err
}

// ParkedJob reads id, kind, person, at and attempts of a job.
func ParkedJob[R Row](r R) (j bot.Job, err error) {
	err = r.Scan(&j.ID, &j.Kind, &j.Person, at(&j.At), &j.Attempts)
	return j, err
}

// Rated reads a rating with its run.
func Rated[R Row](r R) (v bot.Rated, err error) {
	err = r.Scan(&v.Run, &v.Thread, &v.User, &v.Agent, &v.Vote, at(&v.At))
	return v, err
}

// Used reads all columns of a sum of usage.
func Used[R Row](r R) (v bot.Used, err error) {
	var took int64
	var column string
	err = r.Scan(&v.Day, &v.Team, &v.Channel, &v.User, &column, &v.Runs, &v.Failed, &took, &v.Calls, &v.Input, &v.Output, &v.Cached, &v.Cost)
	v.Took = time.Duration(took) * time.Microsecond
	v.SetColumn(column)
	modeluse.Read(&v)
	return v, err
}

// Pair reads two texts.
func Pair[R Row](r R) (kv [2]string, err error) {
	err = r.Scan(&kv[0], &kv[1])
	return kv, err
}
