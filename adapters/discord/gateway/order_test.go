package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
)

func numbers(fs []frame) []int64 {
	var out []int64
	for _, f := range fs {
		out = append(out, f.Seq)
	}
	return out
}

func TestOrderOfEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		come, want []int64
		gap        bool
	}{
		"in_order":             {come: []int64{2, 3, 4}, want: []int64{2, 3, 4}},
		"swapped":              {come: []int64{3, 2, 4}, want: []int64{2, 3, 4}},
		"turned_round":         {come: []int64{5, 4, 3, 2}, want: []int64{2, 3, 4, 5}},
		"one_missing":          {come: []int64{2, 4, 5}, want: []int64{2}, gap: true},
		"sent_again":           {come: []int64{2, 3, 2, 3, 4}, want: []int64{2, 3, 2, 3, 4}},
		"without_numbers":      {come: []int64{0, 0, 2}, want: []int64{0, 0, 2}},
		"sent_again_over_gap":  {come: []int64{2, 4, 2, 3}, want: []int64{2, 2, 3, 4}},
		"numbers_begin_anew":   {come: []int64{2, 3, 1, 2}, want: []int64{2, 3, 1, 2}},
		"missing_come_at_last": {come: []int64{4, 5, 3, 2}, want: []int64{2, 3, 4, 5}},
	} {
		var o order
		o.begin(1)
		var got []int64
		gap := false
		for _, seq := range c.come {
			var now []frame
			now, gap = o.add(frame{Seq: seq})
			got = append(got, numbers(now)...)
		}
		if !slices.Equal(got, c.want) || gap != c.gap || o.missed {
			t.Errorf("%s: %v, gap %v, missed %v; want %v, %v", name, got, gap, o.missed, c.want, c.gap)
		}
	}
}

func TestGapThatNobodyFillsIsPassed(t *testing.T) {
	t.Parallel()
	var o order
	o.begin(1)
	o.add(frame{Seq: 3})
	o.dropWaiting() // the connection is given up and the session resumed
	now, gap := o.add(frame{Seq: 3})
	if len(now) != 0 || !gap {
		t.Fatalf("%v, gap %v", now, gap)
	}
	if got := numbers(o.resumed()); !slices.Equal(got, []int64{3}) || !o.missed {
		t.Errorf("handed on %v, missed %v", got, o.missed)
	}
	if now, gap := o.add(frame{Seq: 4}); len(now) != 1 || gap {
		t.Errorf("afterwards: %v, gap %v", now, gap)
	}
}

func TestNumbersThatMeanNothingAreNotTrusted(t *testing.T) {
	t.Parallel()
	var o order
	o.begin(1)
	seq := int64(1)
	for range maxFutile { // a server that counts in tens
		seq += 10
		o.add(frame{Seq: seq})
		o.dropWaiting()
		o.add(frame{Seq: seq})
		o.resumed()
	}
	for range 5 {
		seq += 10
		if now, gap := o.add(frame{Seq: seq}); len(now) != 1 || gap {
			t.Fatalf("event %d is held: %v, gap %v", seq, now, gap)
		}
	}
}

// FuzzOrder holds that every event is handed on once for each time it came,
// whatever the numbers are.
func FuzzOrder(f *testing.F) {
	f.Add([]byte{2, 3, 4})
	f.Add([]byte{9, 2, 2, 8, 3, 0, 200})
	f.Fuzz(func(t *testing.T, seqs []byte) {
		var o order
		o.begin(1)
		came, went := map[int64]int{}, map[int64]int{}
		take := func(fs []frame) {
			for _, f := range fs {
				went[f.Seq]++
			}
		}
		for _, s := range seqs {
			if _, held := o.held[int64(s)]; held {
				continue // the same event, which waits
			}
			came[int64(s)]++
			now, gap := o.add(frame{Seq: int64(s)})
			take(now)
			if gap != (len(o.held) > 0) {
				t.Fatalf("gap is %v with %d events held", gap, len(o.held))
			}
		}
		take(o.skip())
		for seq, n := range came {
			if went[seq] != n {
				t.Errorf("event %d came %d times and went %d times", seq, n, went[seq])
			}
		}
	})
}

// FuzzFrame feeds the client with whatever a gateway could send after the
// handshake: it never panics, and hands on what it is told.
func FuzzFrame(f *testing.F) {
	for _, raw := range []string{
		`{"op":0,"t":"READY","s":1,"d":{"session_id":"a","resume_gateway_url":"ws://x/"}}`,
		`{"op":0,"t":"GUILD_CREATE","s":2,"d":null}`, `{"op":0,"t":"RESUMED","s":9,"d":{}}`, `{"op":0,"t":null,"s":-1,"d":[null]}`,
		`{"op":0,"t":"MESSAGE_CREATE","s":9223372036854775807,"d":{"id":7}}`, `null`, `[]`, `{"op":"0"}`, `{"op":9,"d":true}`,
	} {
		f.Add(raw, raw)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		handed := 0
		c := New(Config{
			Handle: func(context.Context, Dispatch) { handed++ }, Up: func() {}, Missed: func() {}, Log: slog.New(slog.DiscardHandler),
		})
		c.order.begin(1)
		l, came := &link{}, 0
		for _, raw := range []string{one, two, one, two} {
			var fr frame
			if json.Unmarshal([]byte(raw), &fr) != nil || fr.Op != opDispatch {
				continue
			}
			if fr.Type == "READY" {
				came -= len(c.order.held) // they belonged to another session
			}
			if _, held := c.order.held[fr.Seq]; !held {
				came++
			}
			c.dispatch(t.Context(), l, fr)
		}
		if handed+len(c.order.held) > 4 || handed+len(c.order.held) < came {
			t.Errorf("%d came, %d handed on, %d held", came, handed, len(c.order.held))
		}
	})
}
