package slackfake

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Delivery is an envelope sent to the bot.
type Delivery struct {
	ID      string // envelope id
	Kind    string // "events_api", "interactive" or "slash_commands"
	Payload json.RawMessage
	Sent    int             // how often
	Acks    int             // how often it was acknowledged
	Status  int             // last status over HTTP
	Reply   json.RawMessage // body of the acknowledgement
	SentAt  time.Time       // first
	AckedAt time.Time       // first
	settled bool            // acknowledged, or given up over HTTP
	owner   *Server
	user    string
	channel string // of a command
	view    string
	done    chan struct{}
}

// Deliver sends events over signed HTTP to the bot at base (such as
// "http://127.0.0.1:8080") instead of Socket Mode.
func (s *Server) Deliver(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = base
}

// Deliveries returns copies of all deliveries, oldest first.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Delivery, 0, len(s.sent))
	for _, d := range s.sent {
		if d.owner == s {
			out = append(out, *d)
		}
	}
	return out
}

// Settle waits until every delivery is acknowledged or given up.
func (s *Server) Settle(ctx context.Context) error {
	return s.Wait(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !slices.ContainsFunc(s.sent, func(d *Delivery) bool { return !d.settled })
	})
}

// Emit sends an event of the Events API, wrapped as Slack wraps it, and returns
// its envelope id. The same event can be sent again with Resend.
func (s *Server) Emit(event map[string]any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emitEvent(event)
}

// EmitRaw sends a payload unchanged, to test invalid ones.
func (s *Server) EmitRaw(kind string, payload json.RawMessage) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emit(&Delivery{Kind: kind, Payload: payload})
}

// Resend delivers an envelope again, as Slack does when an acknowledgement was
// late or lost: the same event with a fresh envelope.
func (s *Server) Resend(envelope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.sent {
		if d.ID == envelope {
			d.settled = false
			s.dispatchOut(d)
			return
		}
	}
}

func (s *Server) emitEvent(event map[string]any) string {
	outer := map[string]any{
		"token": "verification", "team_id": s.opt.Team, "api_app_id": "AMARU", "type": "event_callback",
		"event_id": s.id("Ev"), "event_time": s.opt.Now().Unix(), "event": event, "is_ext_shared_channel": false,
		"authorizations": []any{map[string]any{"enterprise_id": nil, "team_id": s.opt.Team, "user_id": "UBOT", "is_bot": true, "is_enterprise_install": s.opt.Org}},
	}
	if s.opt.Enterprise != "" {
		outer["enterprise_id"] = s.opt.Enterprise
		outer["authorizations"].([]any)[0].(map[string]any)["enterprise_id"] = s.opt.Enterprise
	}
	return s.emit(&Delivery{Kind: "events_api", Payload: mustJSON(outer)})
}

// emit queues a delivery; s.mu is held.
func (s *Server) emit(d *Delivery) string {
	d.owner = s
	d.ID, d.SentAt, d.done = s.id("env-"), s.opt.Now(), make(chan struct{})
	s.sent = append(s.sent, d)
	s.dispatchOut(d)
	s.touch()
	return d.ID
}

// dispatchOut sends over HTTP if there is a target, else over Socket Mode.
func (s *Server) dispatchOut(d *Delivery) {
	if s.target == "" {
		s.pushSocket(d)
		return
	}
	target, prev := s.target, s.lastHTTP
	if s.opt.AtOnce {
		prev = nil
	}
	turn := make(chan struct{})
	s.lastHTTP = turn
	s.wg.Go(func() { s.sendHTTP(target, d, prev, turn) })
}

// sendHTTP posts a delivery after the one before it was posted, and repeats an
// event that was not answered with 200.
func (s *Server) sendHTTP(target string, d *Delivery, prev <-chan struct{}, turn chan<- struct{}) {
	if prev != nil {
		select {
		case <-prev:
		case <-s.quit:
		}
	}
	ok := s.postHTTP(target, d, 0)
	close(turn)
	if d.Kind == "events_api" {
		for i, pause := range s.opt.Retries {
			if ok {
				break
			}
			select {
			case <-time.After(pause):
			case <-s.quit:
				return
			}
			ok = s.postHTTP(target, d, i+1)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d.settled = true
	s.touch()
}

// postHTTP signs and sends a delivery once.
func (s *Server) postHTTP(target string, d *Delivery, retry int) bool {
	path, body, kind := "/slack/events", []byte(d.Payload), "application/json"
	switch d.Kind {
	case "interactive":
		path, kind = "/slack/interactions", "application/x-www-form-urlencoded"
		body = []byte(url.Values{"payload": {string(d.Payload)}}.Encode())
	case "slash_commands":
		path, kind = "/slack/commands", "application/x-www-form-urlencoded"
		var m map[string]string
		_ = json.Unmarshal(d.Payload, &m)
		v := url.Values{}
		for k, x := range m {
			v.Set(k, x)
		}
		body = []byte(v.Encode())
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.opt.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", kind)
	s.Sign(req, body)
	if retry > 0 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(retry))
		req.Header.Set("X-Slack-Retry-Reason", "http_error")
	}
	s.mu.Lock()
	d.Sent++
	s.mu.Unlock()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	s.mu.Lock()
	defer s.mu.Unlock()
	d.Status = resp.StatusCode
	if err == nil && resp.StatusCode == http.StatusOK {
		s.acked(d, reply)
	}
	return resp.StatusCode == http.StatusOK
}

// Sign puts Slack's signature on a request with that body.
func (s *Server) Sign(req *http.Request, body []byte) {
	stamp := strconv.FormatInt(s.opt.Now().Unix(), 10)
	req.Header.Set("X-Slack-Request-Timestamp", stamp)
	req.Header.Set("X-Slack-Signature", Signature(s.SigningSecret(), stamp, body))
}

// Signature returns Slack's v0 signature of a body.
func Signature(secret, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte("v0:" + stamp + ":"))
	_, _ = mac.Write(body)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

// acked records an acknowledgement and applies it. The caller holds s.mu.
func (s *Server) acked(d *Delivery, reply json.RawMessage) {
	d.Acks++
	d.settled = true
	if d.Acks == 1 {
		d.AckedAt, d.Reply = s.opt.Now(), reply
		s.applyAck(d)
	}
	s.touch()
}

// applyAck shows a command's answer, or changes the form that was submitted.
func (s *Server) applyAck(d *Delivery) {
	if d.Kind == "events_api" {
		return
	}
	if len(d.Reply) == 0 || string(d.Reply) == "null" {
		if v := s.views[d.view]; v != nil {
			v.Open = false
		}
		return
	}
	var body struct {
		Text   string            `json:"text"`
		Blocks json.RawMessage   `json:"blocks"`
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		View   json.RawMessage   `json:"view"`
	}
	if json.Unmarshal(d.Reply, &body) != nil {
		s.problem("acknowledgement is not JSON: " + string(d.Reply))
		return
	}
	v := s.views[d.view]
	switch {
	case v != nil && body.Action == "errors":
		v.Errors = body.Errors
		for id := range body.Errors {
			if !v.has(id) {
				s.problem("error for a block that the view does not have: " + id)
			}
		}
	case v != nil && body.Action == "update":
		s.setView(v, body.View)
	case v != nil:
		v.Open = false
	case body.Text != "" || len(body.Blocks) > 0:
		if code := checkBlocks(body.Blocks, false); len(body.Blocks) > 0 && code != "" {
			s.problem("acknowledgement: " + code)
			return
		}
		s.whispers = append(s.whispers, Whisper{User: d.user, Channel: d.channel, Text: body.Text, Blocks: body.Blocks, Via: "ack"})
	}
}

// Problems returns the bot's requests that Slack would silently drop.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

func (s *Server) problem(p string) {
	s.problems = append(s.problems, p)
	s.touch()
}
