package bot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
)

// crowded is a record that has no room for another message.
type crowded struct {
	bot.Record

	code string
}

func (c crowded) Put(context.Context, bot.Item) (bool, error) { return false, noRoom(c.code) }
func (c crowded) Begin(context.Context, bot.Item, string, time.Duration) (bool, bot.Lease, bot.Item, error) {
	return false, bot.Lease{}, bot.Item{}, noRoom(c.code)
}

type noRoom string

func (e noRoom) Error() string      { return "SQLSTATE" }
func (e noRoom) PeopleCode() string { return string(e) }

// distant is a record that is not there.
type distant struct{ bot.Record }

func (distant) Pending(context.Context, string) (int, time.Time, error) {
	return 0, time.Time{}, noRoom("store_away")
}

// TestStatusTellsThatTheRecordIsAway: not that it took too long, or to split the question.
func TestStatusTellsThatTheRecordIsAway(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, func(c *service.Config) { c.Record = distant{c.Record} })
	if said := w.order(bot.Invocation{Name: "status", Thread: w.platform.Thread("C1", ""), User: member}); !strings.Contains(said, "I can't reach my database") {
		t.Errorf("/maru status says %q", said)
	}
}

// TestPeopleAreToldThatTheRecordIsFull: who gives a message to a record without room hears why, in
// their language, and who merely meets a fault does not.
func TestPeopleAreToldThatTheRecordIsFull(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"store_full": "저장 공간이 가득 차서", "store_busy": "데이터베이스가 지금 더 받을 수 없어서", "secret": ""} {
		w := newWorldWith(t, func(c *service.Config) { c.Record = crowded{c.Record, code} })
		err := w.bot.Message(t.Context(), w.platform.Message("U1", "안녕", w.platform.Thread("C1", "")))
		var told *bot.Error
		if errors.As(err, &told) != (want != "") || want != "" && !strings.Contains(told.Text("ko"), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}
