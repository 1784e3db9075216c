package bot_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// rivalSettings is a record in which another replica stores a setting right after this one read settings for the nth time.
type rivalSettings struct {
	*sqlitestore.Store

	rival bot.Setting
	after int
}

func (r *rivalSettings) SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error) {
	rows, err := r.Store.SettingsOf(ctx, places)
	if r.after--; r.after == 0 && err == nil {
		err = r.SetSetting(ctx, r.rival)
	}
	return rows, err
}

// TestASettingsFormIsSavedWholeOrNotAtAll: somebody else changes the last field of a form while it is saved, after each of the
// reads that saving makes.
func TestASettingsFormIsSavedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"set": "ko", "cleared": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			var record *rivalSettings
			w.change = func(cfg *service.Config) {
				record = &rivalSettings{Store: w.store}
				cfg.Record = record
			}
			w.start()
			conflicts := 0
			for n := range 8 {
				thread := w.platform.Thread("C"+string(rune('a'+n)), "")
				for key, value := range map[string]string{"language": `"en"`, "temperature": `0.3`} {
					if err := w.store.SetSetting(w.ctx, bot.Setting{Place: thread.Places(admin)[1], Key: key, Value: []byte(value), By: "UB"}); err != nil {
						t.Fatal(err)
					}
				}
				act := func(verb string, values map[string]string) bot.Answer {
					t.Helper()
					ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: verb, Thread: thread, User: admin, Values: values})
					if err != nil {
						t.Fatal(err)
					}
					return ans
				}
				form := act("edit.channel", nil).Form
				record.rival, record.after = bot.Setting{Place: thread.Places(admin)[1], Key: "temperature", Value: []byte(`0.9`), By: "UB"}, n
				ans := act(form.Verb, map[string]string{"language": first, "temperature": "0.5"})
				record.after = 0
				rows, err := w.store.SettingsOf(w.ctx, []string{thread.Places(admin)[1]})
				if err != nil {
					t.Fatal(err)
				}
				is := map[string]string{}
				for _, r := range rows {
					is[r.Key] = string(r.Value)
				}
				if len(ans.Errors) == 0 {
					if ans.Card == nil || !strings.Contains(ans.Card.Text, "`language`, `temperature`") {
						t.Errorf("a change after read %d: saved %+v", n, ans.Card)
					}
					continue
				}
				conflicts++
				if want := (map[string]string{"language": `"en"`, "temperature": `0.9`}); !maps.Equal(is, want) || len(ans.Errors) != 1 || !strings.Contains(ans.Errors["temperature"], "Changed to 0.9") {
					t.Errorf("a change after read %d leaves %v and is answered by %v", n, is, ans.Errors)
				}
			}
			if conflicts == 0 {
				t.Error("no change came in between")
			}
		})
	}
}
