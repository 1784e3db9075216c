package tryout

import (
	"encoding/json"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
)

// TestBetween: a crash in the middle of putting settings leaves some old and some new; anything else was changed by somebody.
func TestBetween(t *testing.T) {
	t.Parallel()
	set := func(key, value string) bot.Setting {
		return bot.Setting{Place: "slack/T1/C1", Key: key, Value: json.RawMessage(value)}
	}
	old, put := []bot.Setting{set("a", "1")}, []bot.Setting{set("a", "2"), set("b", "3")}
	for name, c := range map[string]struct {
		now  []bot.Setting
		want bool
	}{
		"before":    {old, true},
		"middle":    {[]bot.Setting{set("a", "2")}, true},
		"end":       {put, true},
		"by_others": {[]bot.Setting{set("a", "2"), set("b", "9")}, false},
		"cleared":   {nil, false},
	} {
		if got := between(c.now, old, put); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestReplaced: a newer upload of the same name is not the document that was rehearsed.
func TestReplaced(t *testing.T) {
	t.Parallel()
	at := time.Now()
	doc := func(size int64, added time.Time) site.Document {
		return site.Document{Scope: "public", DocumentInfo: bot.DocumentInfo{ID: "d", Size: size, Added: added}}
	}
	c := change{Gone: []site.Chosen{{Scope: "public", ID: "d"}}, Uploads: []upload{{5, at}}}
	for name, want := range map[string]bool{"same": false, "later": true, "gone": false} {
		now := map[string][]site.Document{"same": {doc(5, at)}, "later": {doc(5, at.Add(time.Second))}}[name]
		if got := replaced(c, now); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
