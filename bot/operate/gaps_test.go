package operate_test

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/operate"
	"maru/memory/sqlitestore"
)

// TestGaps writes a question that the documents didn't answer as a line of a question file, and refuses what is no channel.
func TestGaps(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	in := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	var l bot.Lease
	for i, text := range []string{"다음 워크숍은 언제예요?", "is lunch free?"} {
		m := bot.Message{ID: string(rune('a' + i)), Thread: in, Text: text, At: time.Now()}
		answer := "It is [1]."
		if i == 0 {
			answer = "The documents I can read here don't say."
		}
		if _, err := store.Put(ctx, bot.Item{ID: m.Key(), Thread: in.Key(), Kind: bot.ItemMessage, Body: []byte("{}"), Entry: &bot.Entry{ID: m.Key(), Thread: in.Key(), User: "U1", Text: text, At: m.At}}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if l, _, err = store.Claim(ctx, in.Key(), "test", time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Finish(ctx, l, m.Key(), bot.Outcome{Entry: &bot.Entry{ID: m.Run(), Thread: in.Key(), Own: true, Run: m.Run(), Text: answer, At: time.Now()}}); err != nil {
			t.Fatal(err)
		}
	}
	d := operate.Desk{Open: func(context.Context) (operate.Record, func(), error) { return store, func() {}, nil }}
	var out strings.Builder
	if err := d.Gaps(ctx, []string{"slack/T1/C1"}, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"question":"다음 워크숍은 언제예요?","relevant":[],"kind":"not_found"`) {
		t.Errorf("wrote %q", got)
	}
	for _, bad := range []string{"C1", "slack/T1/C1/x", ""} {
		if err := d.Gaps(ctx, []string{bad}, io.Discard); err == nil {
			t.Errorf("%q is taken for a channel", bad)
		}
	}
}
