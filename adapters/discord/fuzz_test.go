package discord

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"maru/adapters/discord/event"
	"maru/adapters/discord/wire"
)

// FuzzMessage feeds what strangers can put into messages.
func FuzzMessage(f *testing.F) {
	for _, raw := range []string{
		`{"id":"1573671288776425472","channel_id":"2","guild_id":"3","type":0,"content":"<@9> hi <#2> <t:1>","author":{"id":"4","username":"a"},"timestamp":"2026-11-21T00:00:00Z","mentions":[{"id":"9","member":{"nick":null}}]}`,
		`{"id":"1","type":3,"token":"t","channel_id":"2","data":{"custom_id":"m1:a:b"},"message":{"id":"5"}}`,
		`{"id":"1","type":5,"token":"t","data":{"custom_id":"m1:a:b","components":[{"type":18,"component":{"custom_id":"x","value":"y"}},{"type":1,"components":[{"custom_id":"z","values":["1"]}]}]}}`,
		`{"id":"1","type":2,"token":"t","data":{"name":"maru","options":[{"type":1,"name":"ask","options":[{"name":"question","value":7}]}]}}`,
		`{"id":null}`, `[]`, `"x"`,
	} {
		f.Add(raw)
	}
	a, err := New(Config{Token: "t"})
	if err != nil {
		f.Fatal(err)
	}
	a.me.Learn("9", "", "")
	a.dir.SetGuild(wire.Guild{ID: "3", Channels: []wire.Channel{{ID: "2", Name: "general"}}})
	f.Fuzz(func(t *testing.T, raw string) {
		var m wire.Message
		if json.Unmarshal([]byte(raw), &m) == nil && m.ChannelID == "2" {
			msg, ok, err := a.reader.Message(t.Context(), &m)
			if err == nil && ok && (msg.ID == "" || msg.Thread.Channel == "" || strings.Contains(msg.Text, "<@9>")) {
				t.Errorf("message is %+v", msg)
			}
		}
	})
}

// FuzzGatewayEvent feeds events of every kind but interactions, which would be
// answered over the network: the reader never panics, and whatever it queues can
// be worked on.
func FuzzGatewayEvent(f *testing.F) {
	for _, kind := range []string{"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE",
		"GUILD_ROLE_CREATE", "GUILD_ROLE_DELETE", "CHANNEL_CREATE", "THREAD_CREATE", "THREAD_DELETE", "THREAD_LIST_SYNC", "READY"} {
		for _, raw := range []string{"null", `"x"`, "[]", "{}", `{"id":"77","channel_id":"88","guild_id":"3","ids":["1",null],"channels":[null,{"id":5}],"threads":[{}],"roles":[null],"role":null,"components":[{"type":99}]}`} {
			f.Add(kind, []byte(raw))
		}
	}
	a, err := New(Config{Token: "t", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	ds := a.dispatcher(nil)
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		if kind == "INTERACTION_CREATE" {
			return
		}
		ds.queue = &checked{pusher: a.queue, t: t}
		ds.Dispatch(t.Context(), kind, raw)
	})
}

// checked sees that every event that is pushed can be worked on.
type checked struct {
	pusher
	t *testing.T
}

func (c *checked) Push(e event.Event) {
	if wire.IDNumber(e.Channel) == 0 || e.Kind != event.Missed && wire.IDNumber(e.ID) == 0 {
		c.t.Errorf("an event without a place: %+v", e)
	}
}
