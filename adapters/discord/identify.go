package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

const (
	noteIdentifies = "identifies"
	freeIdentifies = 10 // in an hour, without waiting
	maxIdentifies  = 30 // in an hour
)

// gatewayAddress asks the API where the gateway is, and waits when Discord says
// that the day's sessions are used up.
func (a *Adapter) gatewayAddress(ctx context.Context) (string, error) {
	var g struct {
		URL   string `json:"url"`
		Limit *struct {
			Remaining  int   `json:"remaining"`
			ResetAfter int64 `json:"reset_after"`
		} `json:"session_start_limit"`
	}
	err := a.rest.do(ctx, call{method: http.MethodGet, path: "/gateway/bot", bucket: "gateway", out: &g, again: true, urgent: true})
	if statusOf(err) == http.StatusNotFound {
		err = a.rest.do(ctx, call{method: http.MethodGet, path: "/gateway", bucket: "gateway", out: &g, again: true, urgent: true})
	}
	if err != nil {
		return "", err
	}
	if g.Limit != nil && g.Limit.Remaining <= 0 && g.Limit.ResetAfter > 0 {
		d := time.Duration(g.Limit.ResetAfter) * time.Millisecond
		a.log.ErrorContext(ctx, "discord sessions of the day are used up", "wait", d)
		if err := a.cfg.Wait(ctx, d); err != nil {
			return "", err
		}
	}
	return strings.TrimRight(g.URL, "/"), nil
}

// spendIdentify counts an identify before it is sent, over restarts of the
// program too: after 1,000 in a day Discord resets the token, so a program that
// crashes in a loop must slow down.
func (a *Adapter) spendIdentify(ctx context.Context) error {
	return a.patiently(ctx, "write identify budget", func(ctx context.Context) error {
		for {
			spent, err := a.identifies(ctx)
			if err != nil {
				return err
			}
			d := a.identifyPause(spent)
			if d <= 0 {
				return a.setIdentifies(ctx, append(spent, a.cfg.Now().UnixMilli()))
			}
			a.log.WarnContext(ctx, "discord sessions begin too often", "in_last_hour", len(spent), "wait", d)
			if err := a.cfg.Wait(ctx, d); err != nil {
				return err
			}
		}
	})
}

// identifyPause is how long to wait before another identify.
func (a *Adapter) identifyPause(spent []int64) time.Duration {
	n := len(spent)
	if n < freeIdentifies {
		return 0
	}
	next := time.UnixMilli(spent[n-1]).Add(min(time.Second<<min(n-freeIdentifies, 8), 2*time.Minute))
	if n >= maxIdentifies {
		next = time.UnixMilli(spent[n-maxIdentifies]).Add(time.Hour)
	}
	return next.Sub(a.cfg.Now())
}

// identifies returns the times of the last hour's identifies, oldest first.
func (a *Adapter) identifies(ctx context.Context) ([]int64, error) {
	raw, err := a.note(ctx, noteIdentifies)
	if err != nil {
		return nil, err
	}
	var all []int64
	if raw != "" && json.Unmarshal([]byte(raw), &all) != nil {
		all = nil // not ours; begin anew
	}
	now := a.cfg.Now()
	var recent []int64
	for _, ms := range all {
		if t := time.UnixMilli(ms); now.Sub(t) < time.Hour && !t.After(now.Add(time.Minute)) {
			recent = append(recent, ms)
		}
	}
	return recent, nil
}

func (a *Adapter) setIdentifies(ctx context.Context, spent []int64) error {
	raw, err := json.Marshal(spent)
	if err != nil {
		return err
	}
	return a.setNote(ctx, noteIdentifies, string(raw))
}

// refundIdentify takes back one identify when the program ends as it should:
// only crashes count towards the slowdown.
func (a *Adapter) refundIdentify(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	spent, err := a.identifies(ctx)
	if err == nil && len(spent) > 0 {
		err = a.setIdentifies(ctx, spent[:len(spent)-1])
	}
	if err != nil {
		a.log.WarnContext(ctx, "discord identify budget not written", "err", err)
	}
}
