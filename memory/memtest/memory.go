package memtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/memory/longterm"
)

// RunMemory checks every sentence of the contract of longterm.Store, through its managers. open returns an empty,
// unshared store; a second call in the same test returns another replica's view of it if the store has replicas, else
// the same one.
func RunMemory(t *testing.T, open func(*testing.T) longterm.Store) {
	t.Helper()
	for name, check := range memoryCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open)
		})
	}
}

// The people and places of the suite.
var (
	memoryStart = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	channelOne  = "channel:slack/T1/C1"
	mina        = longterm.Owner{Person: "slack/T1/U1", Scopes: []string{channelOne, "team:slack/T1"}, Home: channelOne}
	joon        = longterm.Owner{Person: "slack/T1/U2", Scopes: []string{channelOne, "team:slack/T1"}, Home: channelOne}
)

// later returns some hours after the start.
func later(hours int) time.Time { return memoryStart.Add(time.Duration(hours) * time.Hour) }

func managers(s longterm.Store) *longterm.Memory {
	return longterm.New(longterm.Config{Store: s, Now: func() time.Time { return later(1000) }})
}

// prefer teaches a preference.
func prefer(t *testing.T, m *longterm.Memory, o longterm.Owner, session string, at time.Time, subject, value string) {
	t.Helper()
	noErr(t, "prefer", m.Preferences.Consolidate(t.Context(), o, session, at, longterm.PreferenceLesson{
		Type: longterm.Fact, Subject: subject, Value: value, Quote: subject + " is " + value,
	}))
}

// everything of a person, wherever it was learned, without uses.
func everything(t *testing.T, s longterm.Store, o longterm.Owner) []longterm.Record {
	t.Helper()
	list, err := s.Find(t.Context(), longterm.Query{Person: o.Person, Scopes: allScopes}, true)
	noErr(t, "find", err)
	slices.SortFunc(list, func(a, b longterm.Record) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

var allScopes = []string{channelOne, "channel:slack/T1/D1", "team:slack/T1"}

// about returns the sorted subjects of a person's records.
func about(t *testing.T, s longterm.Store, o longterm.Owner) string {
	t.Helper()
	var texts []string
	for _, r := range everything(t, s, o) {
		texts = append(texts, r.Text)
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

var memoryCases = map[string]func(*testing.T, func(*testing.T) longterm.Store){
	"a_record_comes_back_as_it_was_folded": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		prefer(t, m, mina, "s2", later(2), "부서", "데이터팀 👩‍💻")
		prefer(t, m, mina, "s1", later(1), "부서", "인사팀")
		list := everything(t, s, mina)
		if len(list) != 1 {
			t.Fatalf("records %+v", list)
		}
		r := list[0]
		if r.Person != mina.Person || r.Workspace != "slack/T1" || r.Scope != channelOne || r.Kind != longterm.KindPreference ||
			r.Text != "부서: 데이터팀 👩‍💻" || r.Samples != 1 || r.Raw != 0.9 || r.Muted || r.Uses != 0 || !r.Used.IsZero() || len(r.Terms) == 0 {
			t.Errorf("record %+v", r)
		}
		sameTime(t, "first", r.First, later(1))
		sameTime(t, "last", r.Last, later(2))
		var p longterm.Preference
		noErr(t, "data", json.Unmarshal(r.Data, &p))
		if p.Value != "데이터팀 👩‍💻" || len(p.Before) != 1 || p.Before[0].Value != "인사팀" {
			t.Errorf("preference %+v", p)
		}
		notes, err := s.Notes(t.Context(), mina.Person, r.ID)
		noErr(t, "notes", err)
		if len(notes) != 2 || notes[0].Session != "s1" || notes[1].Session != "s2" {
			t.Errorf("notes %+v", notes)
		}
		_, err = s.Notes(t.Context(), joon.Person, r.ID)
		wantErr(t, "somebody else's notes", err, longterm.ErrNotFound)
	},
	"only_what_may_be_used_is_found": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		direct := mina
		direct.Home = "channel:slack/T1/D1"
		prefer(t, m, mina, "1", later(1), "team", "data")
		prefer(t, m, direct, "2", later(2), "salary", "high")
		prefer(t, m, joon, "3", later(3), "team", "sales")
		noErr(t, "behavior", m.Behaviors.Consolidate(t.Context(), mina, "4", later(4), longterm.BehaviorLesson{Approval: "plan", Decision: longterm.Accepted}))
		find := func(what string, q longterm.Query, muted bool, want int) {
			t.Helper()
			list, err := s.Find(t.Context(), q, muted)
			noErr(t, what, err)
			if len(list) != want {
				t.Errorf("%s: %d records, want %d: %+v", what, len(list), want, list)
			}
		}
		find("no scope", longterm.Query{Person: mina.Person}, true, 0)
		find("nobody", longterm.Query{Scopes: allScopes}, true, 0)
		find("the channel", longterm.Query{Person: mina.Person, Scopes: []string{channelOne}}, false, 2)
		find("anywhere", longterm.Query{Person: mina.Person, Anywhere: true}, false, 3)
		find("one kind", longterm.Query{Person: mina.Person, Scopes: allScopes, Kinds: []longterm.Kind{longterm.KindPreference}}, false, 2)
		find("one word", longterm.Query{Person: mina.Person, Scopes: allScopes, Words: []string{"salari", "nothing"}}, false, 1)
		find("no such word", longterm.Query{Person: mina.Person, Scopes: allScopes, Words: []string{"sale"}}, false, 0)
		find("limited", longterm.Query{Person: mina.Person, Scopes: allScopes, Limit: 1}, false, 1)
		ids := []string{everything(t, s, mina)[0].ID}
		n, err := s.Mute(t.Context(), joon.Person, ids, true)
		noErr(t, "mute another's", err)
		equal(t, "muted another's", n, 0)
		n, err = s.Mute(t.Context(), mina.Person, ids, true)
		noErr(t, "mute", err)
		equal(t, "muted", n, 1)
		find("without the muted", longterm.Query{Person: mina.Person, Scopes: allScopes}, false, 2)
		find("with the muted", longterm.Query{Person: mina.Person, Scopes: allScopes}, true, 3)
		prefer(t, m, mina, "5", later(5), "team", "data")
		prefer(t, m, direct, "6", later(6), "salary", "higher")
		find("muted stays muted", longterm.Query{Person: mina.Person, Scopes: allScopes}, false, 2)
	},
	"a_session_counts_once_whatever_comes_first": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		lesson := longterm.ToolLesson{Task: "weather", Tool: "weather", Success: true, Millis: 10}
		other := lesson
		other.Millis = 90
		for _, l := range []longterm.ToolLesson{other, lesson, other, lesson} {
			noErr(t, "learn", m.Tools.Consolidate(t.Context(), mina, "s", later(1), l))
		}
		noErr(t, "learn", m.Tools.Consolidate(t.Context(), mina, "s", later(2), other))
		hits, err := m.Tools.Search(t.Context(), mina, "weather", 5)
		noErr(t, "search", err)
		if len(hits) != 1 || hits[0].Data.Successes != 1 || hits[0].Data.MeanMillis != 10 {
			t.Errorf("hits %+v", hits)
		}
	},
	"replicas_that_consolidate_at_once_lose_nothing": func(t *testing.T, open func(*testing.T) longterm.Store) {
		replicas := []*longterm.Memory{managers(open(t)), managers(open(t))}
		const each = 40
		var all sync.WaitGroup
		for n, m := range replicas {
			for w := range 2 {
				all.Go(func() {
					for i := range each {
						session := fmt.Sprint(n, w, i)
						if i%4 == 0 { // both tell of it
							session = fmt.Sprint("both", i)
						}
						if err := m.Tools.Consolidate(t.Context(), mina, session, later(i), longterm.ToolLesson{Task: "count", Tool: "x", Success: true}); err != nil {
							t.Errorf("consolidate: %v", err)
						}
					}
				})
			}
		}
		all.Wait()
		hits, err := replicas[1].Tools.Search(t.Context(), mina, "count", 5)
		noErr(t, "search", err)
		if want := 4*each*3/4 + each/4; len(hits) != 1 || hits[0].Data.Successes != want {
			t.Errorf("hits %+v, want %d successes", hits, want)
		}
	},
	"the_same_lessons_in_any_order_are_the_same_records": sameInAnyOrder,
	"uses_are_counted_once_a_run": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		prefer(t, m, mina, "1", later(1), "team", "data")
		id := everything(t, s, mina)[0].ID
		use := func(person, record, run string, hour int) {
			t.Helper()
			noErr(t, "use", s.Use(t.Context(), person, []longterm.Use{{Record: record, Run: run, Scope: "in " + run, At: later(hour)}}))
		}
		use(mina.Person, id, "r1", 5)
		use(mina.Person, id, "r2", 7)
		use(mina.Person, id, "r1", 9)
		use(joon.Person, id, "r3", 9)
		use(mina.Person, "none", "r4", 9)
		r := everything(t, s, mina)[0]
		equal(t, "uses", r.Uses, 2)
		equal(t, "used in", r.UsedIn, "in r2")
		sameTime(t, "used", r.Used, later(7))
		prefer(t, m, mina, "2", later(2), "team", "data")
		equal(t, "uses after more was learned", everything(t, s, mina)[0].Uses, 2)
	},
	"what_is_forgotten_is_gone_and_does_not_come_back": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		prefer(t, m, mina, "1", later(1), "team", "data")
		prefer(t, m, mina, "2", later(2), "team", "sales")
		prefer(t, m, mina, "3", later(3), "office", "Seoul")
		prefer(t, m, joon, "4", later(4), "team", "legal")
		noErr(t, "behavior", m.Behaviors.Consolidate(t.Context(), mina, "5", later(5), longterm.BehaviorLesson{Approval: "plan", Decision: longterm.Accepted}))
		var team string
		for _, r := range everything(t, s, mina) {
			if r.Text == "team: sales" {
				team = r.ID
			}
		}
		noErr(t, "use", s.Use(t.Context(), mina.Person, []longterm.Use{{Record: team, Run: "r", At: later(6)}}))
		rec, err := s.Forget(t.Context(), joon.Person, []string{team}, later(10))
		noErr(t, "forget another's", err)
		equal(t, "forgotten of another", rec.Total(), 0)
		rec, err = s.Forget(t.Context(), mina.Person, []string{team, "none"}, later(10))
		noErr(t, "forget one", err)
		if rec.Total() != 1 || rec.Records[longterm.KindPreference] != 1 || rec.Notes != 2 || rec.Uses != 1 || !slices.Equal(rec.Runs, []string{"r"}) {
			t.Errorf("receipt %+v", rec)
		}
		prefer(t, m, mina, "1", later(1), "team", "data") // a job that was late
		prefer(t, m, mina, "6", later(10), "team", "data")
		equal(t, "after one", about(t, s, mina), "office: Seoul; plan")
		prefer(t, m, mina, "7", later(11), "team", "data") // said again
		equal(t, "said anew", about(t, s, mina), "office: Seoul; plan; team: data")

		rec, err = s.Forget(t.Context(), mina.Person, nil, later(20))
		noErr(t, "forget all", err)
		if rec.Total() != 3 || rec.Records[longterm.KindPreference] != 2 || rec.Records[longterm.KindBehavior] != 1 || rec.Notes != 3 {
			t.Errorf("receipt %+v", rec)
		}
		prefer(t, m, mina, "8", later(19), "office", "Seoul")
		equal(t, "after all", about(t, s, mina), "")
		rec, err = s.Forget(t.Context(), mina.Person, nil, later(21))
		noErr(t, "forget again", err)
		equal(t, "a second time", rec.Total()+rec.Notes+rec.Uses, 0)
		prefer(t, m, mina, "9", later(22), "office", "Seoul")
		equal(t, "a new beginning", about(t, s, mina), "office: Seoul")
		equal(t, "somebody else's", about(t, s, joon), "team: legal")
	},
	"a_deleted_message_taught_nothing": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		from := func(message string) longterm.Owner {
			o := mina
			o.Message = message
			return o
		}
		prefer(t, m, from("m1"), "1", later(1), "team", "data")
		prefer(t, m, from("m2"), "2", later(2), "team", "sales")
		prefer(t, m, from("m2"), "2", later(2), "office", "Seoul")
		prefer(t, m, mina, "3", later(3), "floor", "3")
		n, err := s.Unlearn(t.Context(), "", later(9), m.Fold)
		noErr(t, "unlearn no message", err)
		equal(t, "of no message", n, 0)
		n, err = s.Unlearn(t.Context(), "m2", later(9), m.Fold)
		noErr(t, "unlearn", err)
		equal(t, "records touched", n, 2)
		prefer(t, m, from("m2"), "2", later(2), "office", "Seoul") // a job that was late
		equal(t, "left", about(t, s, mina), "floor: 3; team: data")
	},
	"what_an_edited_message_says_now_stays": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		o := mina
		o.Message = "m1"
		prefer(t, m, o, "1", later(1), "team", "data")
		prefer(t, m, o, "1.b", later(5), "team", "sales") // of the words since the edit at 4
		n, err := s.Unlearn(t.Context(), "m1", later(4), m.Fold)
		noErr(t, "unlearn", err)
		equal(t, "records touched", n, 1)
		prefer(t, m, o, "1", later(1), "office", "Busan") // of the old words, late
		equal(t, "left", about(t, s, mina), "team: sales")
	},
	"what_is_too_old_is_swept": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		prefer(t, m, mina, "1", later(1), "team", "data")
		prefer(t, m, mina, "2", later(50), "team", "sales")
		prefer(t, m, mina, "3", later(2), "office", "Seoul")
		prefer(t, m, joon, "4", later(60), "team", "legal")
		total := 0
		for {
			n, err := s.Sweep(t.Context(), later(30), 1, m.Fold)
			noErr(t, "sweep", err)
			if total += n; n == 0 {
				break
			}
		}
		equal(t, "records touched", total, 2)
		equal(t, "left", about(t, s, mina)+"; "+about(t, s, joon), "team: sales; team: legal")
		var p longterm.Preference
		noErr(t, "data", json.Unmarshal(everything(t, s, mina)[0].Data, &p))
		equal(t, "history", len(p.Before), 0)
	},
	"a_part_of_what_is_known_is_swept": func(t *testing.T, open func(*testing.T) longterm.Store) {
		for _, tc := range []struct {
			part longterm.Part
			want string
		}{
			{longterm.Part{Workspace: "slack/T1"}, "far"},
			{longterm.Part{Workspace: "slack/T1", NotScopes: []string{"channel:slack/T1/C1"}}, "far here"},
			{longterm.Part{Scope: "channel:slack/T1/C1"}, "far there"},
			{longterm.Part{Person: mina.Person}, "far"},
			{longterm.Part{Person: joon.Person}, "far here there"},
			{longterm.Part{NotWorkspaces: []string{"slack/T1"}}, "here there"},
		} {
			s := open(t)
			m := managers(s)
			for key, o := range map[string]longterm.Owner{
				"here":  {Workspace: "slack/T1", Person: mina.Person, Home: "channel:slack/T1/C1"},
				"there": {Workspace: "slack/T1", Person: mina.Person, Home: "channel:slack/T1/C2"},
				"far":   {Workspace: "slack/T2", Person: "slack/T2/U9", Home: "channel:slack/T2/C1"},
			} {
				prefer(t, m, o, "s"+key, later(1), key, "x")
			}
			for n := 1; n > 0; {
				var err error
				n, err = s.SweepPart(t.Context(), tc.part, later(30), 1, m.Fold)
				noErr(t, "sweep", err)
			}
			var left []string
			for _, who := range []string{"slack/T2/U9", mina.Person} {
				list, err := s.Find(t.Context(), longterm.Query{Person: who, Anywhere: true}, true)
				noErr(t, "find", err)
				for _, r := range list {
					var p longterm.Preference
					noErr(t, "data", json.Unmarshal(r.Data, &p))
					left = append(left, p.Subject)
				}
			}
			slices.Sort(left)
			equal(t, fmt.Sprintf("left of %+v", tc.part), strings.Join(left, " "), tc.want)
		}
	},
	"what_moves_joins_what_is_known_there": func(t *testing.T, open func(*testing.T) longterm.Store) {
		s := open(t)
		m := managers(s)
		team := mina
		team.Home = "team:slack/T1"
		teach := func(o longterm.Owner, session string) {
			t.Helper()
			noErr(t, "learn", m.Tools.Consolidate(t.Context(), o, session, later(1), longterm.ToolLesson{Task: "weather", Tool: "weather", Success: true}))
		}
		teach(mina, "1")
		teach(mina, "2")
		teach(team, "2")
		teach(team, "3")
		prefer(t, m, mina, "4", later(4), "office", "Seoul")
		var ids []string
		for _, r := range everything(t, s, mina) {
			if r.Scope == channelOne {
				ids = append(ids, r.ID)
			}
			noErr(t, "use", s.Use(t.Context(), mina.Person, []longterm.Use{{Record: r.ID, Run: "run " + r.Scope, At: later(5)}}))
		}
		n, err := s.Move(t.Context(), joon.Person, ids, team.Home, m.Fold)
		noErr(t, "move another's", err)
		equal(t, "moved of another", n, 0)
		n, err = s.Move(t.Context(), mina.Person, ids, team.Home, m.Fold)
		noErr(t, "move", err)
		equal(t, "moved", n, 2)
		n, err = s.Move(t.Context(), mina.Person, ids, team.Home, m.Fold)
		noErr(t, "move again", err)
		equal(t, "moved again", n, 0)
		list := everything(t, s, mina)
		if len(list) != 2 || list[0].Scope != team.Home || list[1].Scope != team.Home {
			t.Fatalf("records %+v", list)
		}
		hits, err := m.Tools.Search(t.Context(), mina, "weather", 5)
		noErr(t, "search", err)
		if len(hits) != 1 || hits[0].Data.Successes != 3 || hits[0].Record.Uses != 2 {
			t.Errorf("joined %+v", hits)
		}
		teach(team, "1") // told again where it was moved to
		hits, err = m.Tools.Search(t.Context(), mina, "weather", 5)
		noErr(t, "search", err)
		equal(t, "successes", hits[0].Data.Successes, 3)
	},
}
