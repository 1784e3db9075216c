package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"maru/bot"
)

const (
	maxCallback  = 2000 // bytes of an address
	callbackTime = 20 * time.Second
	mostPatience = 10 * time.Minute // that a receiver may ask for before the next try
)

// receivable reports whether an outcome may be posted to an address: over TLS, or to a literal IP address that is not public, such as
// 10.0.0.7. Whether the operator allows such an address, the client decides.
func receivable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxCallback && (u.Scheme == "https" || u.Scheme == "http" && inner(u.Hostname())) && u.Host != "" && u.User == nil && u.Fragment == "" &&
		!strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// inner reports whether a host is a literal IP address that is not public.
func inner(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsPrivate() || ip.Unmap().IsLoopback())
}

// CallBack is the job that tells a program how its request ended, at the address that the program gave: the status with its
// receipt, as GET returns it. It is repeated until the receiver takes it, so the request's ID goes with it as the idempotency key.
func (d *Desk) CallBack(ctx context.Context, j bot.Job) error {
	_, id, _ := strings.Cut(j.ID, "/")
	f, err := d.cfg.Record.FiledByID(ctx, id)
	if errors.Is(err, bot.ErrNotFound) || err == nil && f.Callback == "" {
		return nil // its person or place was forgotten
	}
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	st, err := d.status(ctx, f)
	if err == nil && st.State == Pending {
		err = errors.New("the request is not decided yet")
	}
	if err != nil {
		return fmt.Errorf("read how a request ended: %w", err)
	}
	status, err := d.tell(ctx, f.Callback, st)
	if err != nil {
		return err
	}
	d.cfg.Rules.Audit(ctx, f.Thread, bot.User{ID: f.Person}, "program.called_back", map[string]any{"request": f.ID, "state": st.State, "program": f.By, "status": status})
	return nil
}

// tell posts a status. An error names neither the address nor what came back: both are the program's own.
func (d *Desk) tell(ctx context.Context, address string, st Status) (int, error) {
	if d.cfg.Client == nil {
		return 0, errors.New("desk: there is no client for callbacks")
	}
	body, err := json.Marshal(st)
	if err != nil {
		return 0, fmt.Errorf("encode status: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callbackTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("desk: the address of a callback cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", st.ID)
	r.Header.Set("User-Agent", "Maru")
	client := *d.cfg.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) { // which quotes the address
			err = u.Err
		}
		return 0, &bot.DeliveryError{Op: "callback", Err: fmt.Errorf("%w: %w", bot.ErrUnavailable, err)}
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection serves again
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res.StatusCode, nil
	}
	fault := &bot.DeliveryError{Op: "callback", Code: strconv.Itoa(res.StatusCode), Err: bot.ErrForbidden}
	if res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout {
		fault.Err = bot.ErrUnavailable
	}
	if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n > 0 {
		fault.After = min(time.Duration(n)*time.Second, mostPatience)
	}
	return res.StatusCode, fault
}
