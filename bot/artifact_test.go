package bot_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// makes answers with files.
func makes(files ...agent.Artifact) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
		return agent.Result{Text: "done", Artifacts: files}, nil
	}
}

var report = agent.Artifact{Name: "results.md", MIME: "text/markdown", Data: []byte("# 결과\n")}

// noJobs waits until no job is left.
func (w *world) noJobs() {
	w.t.Helper()
	w.passing(func(time.Duration) {})
}

// passing waits as noJobs does while the time goes on by minutes: a job that is
// put off this very moment has its turn as well.
func (w *world) passing(forward func(time.Duration)) {
	w.t.Helper()
	for looks := 0; ; looks++ {
		n, _, err := w.store.PendingJobs(w.ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		if n == 0 {
			return
		}
		if looks%20 == 19 { // a clock that runs faster ends the turn of whoever is at a job
			forward(time.Minute)
		}
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("%d jobs still wait", n)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func TestFilesFollowTheAnswer(t *testing.T) {
	t.Parallel()
	large := make([]byte, 3<<20)
	w := newWorld(t, makes(report, agent.Artifact{Name: "../../etc/pass\u202ewd\x00.md", Data: []byte("x")},
		agent.Artifact{Name: "results.MD", Data: []byte("y")}, agent.Artifact{Name: "empty"}, agent.Artifact{Name: "…/\\", Data: []byte("z")},
		agent.Artifact{Name: "large.bin", Data: large}, agent.Artifact{Name: "larger.bin", Data: large}))
	m := w.say("make it", w.platform.Thread("C1", ""))
	post := w.replies(m.Thread, 1)[0]
	parcels, err := w.platform.Parcels(w.ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := parcels[0]
	var names []string
	for i, f := range p.Files {
		names = append(names, f.Name)
		if f.N != i || f.Size != int64(len(f.Data)) || f.Run != post.Card.Run {
			t.Errorf("file %d: %+v", i, f)
		}
	}
	if want := []string{"results.md", "etc_passwd.md", "results-2.MD", "…__", "large.bin"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if string(p.Files[0].Data) != "# 결과\n" || p.Again || p.Ref.Messages[0] != post.ID || p.To.Thread != m.Thread || !strings.Contains(p.Text, "Files") {
		t.Errorf("parcel %+v", p)
	}
	if len(post.Card.Files) != 5 || post.Card.Files[0].Data != nil || post.Card.Files[4].Size != 3<<20 {
		t.Errorf("the card names %+v", post.Card.Files)
	}
	w.noJobs()
	f, err := w.bot.File(w.ctx, m.Thread, m.User, post.Card.Run, 0)
	if err != nil || string(f.Data) != "# 결과\n" {
		t.Errorf("file: %q, %v", f.Data, err)
	}
	var told *bot.Error
	for _, from := range []bot.Thread{w.platform.Thread("C2", "x"), {Platform: "fake", Team: "T2", Channel: "C1", ID: m.Thread.ID}} {
		if _, err := w.bot.File(w.ctx, from, bot.User{ID: "U9"}, post.Card.Run, 0); !errors.As(err, &told) || told.Code != bot.CodeNotFound {
			t.Errorf("a stranger in %s gets %v", from.Key(), err)
		}
	}
	if _, err := w.bot.File(w.ctx, m.Thread, m.User, post.Card.Run, 7); !errors.As(err, &told) || told.Code != bot.CodeNotFound {
		t.Errorf("no such file: %v", err)
	}
	if list, err := w.bot.Files(w.ctx, m.Thread); err != nil || len(list) != 5 {
		t.Errorf("files of the thread: %+v, %v", list, err)
	}
}

// The platform took the files and its answer was lost, or the process died
// before it could say so: they are not put there twice.
func TestFilesComeOnce(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]bool{"answer_lost": false, "killed_before_it_is_noted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, makes(report))
			if dies {
				w.change = func(c *service.Config) { c.Record = forgetful{c.Record} }
			} else {
				w.platform.Fail(bottest.Fault{Op: "upload", Err: errDown, After: true})
			}
			forward := clockOf(w)
			m := w.say("make it", w.platform.Thread("C1", ""))
			w.replies(m.Thread, 1)
			if _, err := w.platform.Parcels(w.ctx, 1); err != nil {
				t.Fatal(err)
			}
			if dies {
				w.stop()
				w.change = nil
				w.start()
			}
			w.passing(forward)
			if all, err := w.platform.Parcels(w.ctx, 1); err != nil || len(all) != 1 {
				t.Errorf("%d parcels, %v", len(all), err)
			}
		})
	}
}

// forgetful is the record of a process that dies before it ends a job.
type forgetful struct{ bot.Record }

func (forgetful) EndJob(context.Context, string) error                          { return errDead }
func (forgetful) DelayJob(context.Context, string, time.Duration, string) error { return errDead }

func TestFilesThatMayNotBePutThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, makes(report))
	w.platform.Fail(bottest.Fault{Op: "upload", Err: &bot.DeliveryError{Op: "upload", Code: "missing_scope", Err: bot.ErrForbidden}})
	m := w.say("make it", w.platform.Thread("C1", ""))
	posts := w.replies(m.Thread, 2)
	w.noJobs()
	if all := w.platform.Posts(m.Thread); len(all) != 2 || !strings.Contains(posts[1].Card.Text, "files:write") {
		t.Errorf("posts %+v", all)
	}
}

// Whoever waits for files learns that they do not come.
func TestFilesThatAreGivenUpAreToldOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, makes(report))
	forward := clockOf(w)
	for range 8 {
		w.platform.Fail(bottest.Fault{Op: "upload", Err: errors.New("odd")})
	}
	m := w.say("make it", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	w.passing(forward)
	posts := w.platform.Posts(m.Thread)
	if len(posts) != 2 || !strings.Contains(posts[1].Card.Text, "it didn't work") {
		t.Errorf("posts %+v", posts)
	}
}

func TestForgottenFilesAreNotPutThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, makes(report))
	forward := clockOf(w)
	w.platform.Fail(bottest.Fault{Op: "upload", Err: &bot.DeliveryError{Op: "upload", After: time.Minute, Err: bot.ErrUnavailable}})
	m := w.say("make it", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	if err := w.store.Forget(w.ctx, m.Thread.Key()); err != nil {
		t.Fatal(err)
	}
	w.passing(forward)
	if all, err := w.platform.Parcels(w.ctx, 0); err != nil || len(all) != 0 {
		t.Errorf("%d parcels, %v", len(all), err)
	}
}
