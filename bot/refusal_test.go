package bot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/bot"
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

// TestPeopleAreToldThatTheRecordIsFull: who gives a message to a record without room hears why, in
// their language, and who merely meets a fault does not.
func TestPeopleAreToldThatTheRecordIsFull(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"store_full": "저장 공간이 가득 차서", "store_busy": "데이터베이스가 지금 더 받을 수 없어서", "secret": ""} {
		w := newWorldWith(t, func(c *bot.Config) { c.Record = crowded{c.Record, code} })
		err := w.bot.Message(t.Context(), w.platform.Message("U1", "안녕", w.platform.Thread("C1", "")))
		var told *bot.Error
		if errors.As(err, &told) != (want != "") || want != "" && !strings.Contains(told.Text("ko"), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}
