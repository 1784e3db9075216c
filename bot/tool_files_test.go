package bot_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/config"
)

// toolMade reports files of a tool as a run's sink gets them.
func toolMade(sink agent.Sink, files ...agent.Artifact) {
	sink(agent.Event{Kind: agent.EventToolResult, Name: "draw", Text: "made", Files: files})
}

// handedOut waits for the parcel of an answer and returns the names of its files.
func handedOut(w *world, forward func(time.Duration)) (names []string) {
	w.t.Helper()
	parcels, err := w.platform.Parcels(w.ctx, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	w.passing(forward) // a minute after a stop the platform is searched for second copies
	for i, f := range parcels[0].Files {
		names = append(names, f.Name)
		if f.N != i || len(f.Data) == 0 {
			w.t.Errorf("file %d: %+v", i, f)
		}
	}
	return names
}

// TestFilesOfToolsOutliveAWait: what a tool made before a run waited for people comes with the answer, in another process too;
// names stay apart, and files beyond the limits are named.
func TestFilesOfToolsOutliveAWait(t *testing.T) {
	t.Parallel()
	picture := agent.Artifact{Name: "a/b\u202e.png", MIME: "image/png", Data: []byte("PNG")}
	w := newWorld(t, func(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) == 0 {
			toolMade(sink, picture)
			raw, err := json.Marshal(planAsk())
			return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "plan", Payload: raw}}}, err
		}
		long := strings.Repeat("가", 4000) + ".csv"
		toolMade(sink, picture, agent.Artifact{Name: long, Data: []byte("1")}, agent.Artifact{Name: "huge.csv", Data: make([]byte, 12<<20)})
		return agent.Result{Text: "done", Artifacts: []agent.Artifact{report}}, nil
	})
	forward := clockOf(w)
	m := w.say("draw it", w.platform.Thread("C1", ""))
	accept := button(t, waitingCard(w, m), "Approve")
	w.settled()
	w.stop()
	w.start()
	w.act(click(m, accept, "U1"))
	final := awaitCard(w, m, func(c bot.Card) bool { return c.Final })
	if !strings.Contains(final.Text, "at most 10 files and 4 MB: huge.csv") {
		t.Errorf("the answer says %q", final.Text)
	}
	names := handedOut(w, forward)
	if want := []string{"a_b.png", "a_b-2.png", strings.Repeat("가", 25) + ".csv", "results.md"}; !slices.Equal(names, want) || len(final.Files) != len(want) {
		t.Errorf("files %q, the card has %d", names, len(final.Files))
	}
}

// TestFilesOfToolsOutliveAStop: a call is not repeated after its process ended, and its file still comes.
func TestFilesOfToolsOutliveAStop(t *testing.T) {
	t.Parallel()
	began := make(chan bool, 1)
	again := false // one run at a time
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		if again {
			return agent.Result{Text: "done"}, nil
		}
		toolMade(sink, agent.Artifact{Name: "plot.png", Data: []byte("PNG")})
		again = true
		began <- true
		<-ctx.Done()
		return agent.Result{}, context.Cause(ctx)
	})
	forward := clockOf(w)
	w.say("draw it", w.platform.Thread("C1", ""))
	<-began
	w.stop()
	w.start()
	if names := handedOut(w, forward); !slices.Equal(names, []string{"plot.png"}) {
		t.Errorf("files %q", names)
	}
}

// TestFilesOfAnEarlierWordingAreDropped: a question that is edited while it is answered has the files of its new text only.
func TestFilesOfAnEarlierWordingAreDropped(t *testing.T) {
	t.Parallel()
	began := make(chan bool, 1)
	w := newWorldOn(t, config.EditRestart, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		name, _, _ := strings.Cut(req.Text, " ")
		toolMade(sink, agent.Artifact{Name: name + ".png", Data: []byte(name)})
		if name == "old" {
			began <- true
			<-ctx.Done()
			return agent.Result{}, context.Cause(ctx)
		}
		return agent.Result{Text: "done"}, nil
	})
	forward := clockOf(w)
	m := w.say("old picture", w.platform.Thread("C1", ""))
	<-began
	w.edit(m, "new picture")
	if names := handedOut(w, forward); !slices.Equal(names, []string{"new.png"}) {
		t.Errorf("files %q", names)
	}
}
