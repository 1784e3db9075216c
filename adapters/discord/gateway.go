package discord

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"maru/bot"
)

// intents are the events that the adapter wants: guilds, their messages, direct
// messages, and what the messages say.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages | discordgo.IntentMessageContent

// link is one gateway session and its current connection.
type link struct {
	a       *Adapter
	session *discordgo.Session
	lost    chan struct{} // gets a token when the connection ended

	mu      sync.Mutex
	tap     *tap
	address string // of the gateway
	refuse  bool   // the next dial fails
	begun   bool   // READY came: the session can be resumed
	resume  string // where it is resumed
}

// connect keeps the gateway connected until ctx ends or it can never work.
func (a *Adapter) connect(ctx context.Context, in bot.Intake) error {
	if err := a.patiently(ctx, "read notes", a.loadTracks); err != nil {
		return err
	}
	var l *link
	for failures := 0; ctx.Err() == nil; failures++ {
		if l == nil {
			l = a.newLink(ctx, in)
		}
		err := l.open(ctx)
		if err == nil {
			failures = 0
			err = l.stand(ctx)
		}
		if ctx.Err() != nil {
			break
		}
		again, fatal := verdict(err)
		a.setDown(err)
		if fatal != nil {
			return fatal
		}
		a.log.WarnContext(ctx, "discord gateway disconnected", "err", err, "resume", again && l.canResume())
		if !again {
			l = nil
		}
		if a.cfg.Wait(ctx, a.pauseBefore(failures, again)) != nil {
			break
		}
	}
	return nil
}

// pauseBefore is how long to wait before the next attempt. A new session begins
// after 1 to 5 seconds, as Discord wants.
func (a *Adapter) pauseBefore(failures int, resume bool) time.Duration {
	var d time.Duration
	if failures > 0 {
		d = time.Second << min(failures-1, 6)
		d = d/2 + time.Duration(a.cfg.Jitter()*float64(d)/2)
	}
	if !resume {
		d = max(d, time.Second+time.Duration(a.cfg.Jitter()*float64(4*time.Second)))
	}
	return d
}

// patiently repeats f until it works or ctx ends.
func (a *Adapter) patiently(ctx context.Context, what string, f func(context.Context) error) error {
	for n := 0; ; n++ {
		err := f(ctx)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		a.log.WarnContext(ctx, "discord adapter cannot start yet", "step", what, "err", err)
		if a.cfg.Wait(ctx, min(200*time.Millisecond<<min(n, 6), 10*time.Second)) != nil {
			return ctx.Err()
		}
	}
}

// verdict says what the end of a connection means: never again, or whether the
// session may be resumed.
func verdict(err error) (resume bool, fatal error) {
	var e *endedError
	if errors.Is(err, errToken) {
		return false, errToken
	}
	if !errors.As(err, &e) {
		return true, nil
	}
	var c closedError
	if !errors.As(e.cause, &c) {
		return e.resume, nil
	}
	switch c.code {
	case 4004:
		return false, errToken
	case 4010, 4011:
		return false, errors.New("discord: this bot is in so many servers that Discord wants it sharded (close code 4011), which this version does not do")
	case 4012:
		return false, errors.New("discord: the gateway does not speak this version of the API any more (close code 4012): update the program")
	case 4013:
		return false, errors.New("discord: the gateway does not know the intents that were asked for (close code 4013)")
	case 4014:
		return false, errors.New("discord: the gateway refused the intents (close code 4014): switch on “Message Content Intent” on the “Bot” page of the developer portal")
	case 4003, 4007, 4009:
		return false, nil
	}
	return true, nil
}

// endedError is why a connection ended.
type endedError struct {
	cause  error
	resume bool
}

func (e *endedError) Error() string { return e.cause.Error() }
func (e *endedError) Unwrap() error { return e.cause }

// newLink makes a session that has not begun.
func (a *Adapter) newLink(ctx context.Context, in bot.Intake) *link {
	l := &link{a: a, lost: make(chan struct{}, 1)}
	s, err := discordgo.New("Bot " + a.cfg.Token)
	if err != nil { // it never does
		a.log.ErrorContext(ctx, "make discord session", "err", err)
	}
	s.LogLevel = -1 // it would print to the process's log; all that matters is seen by the tap
	s.SyncEvents = true
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.Compress = false
	s.Identify.Compress = false
	s.Identify.Intents = intents
	s.Client = &http.Client{Transport: l}
	s.Dialer = &websocket.Dialer{HandshakeTimeout: handshakeTimeout, NetDialContext: l.dial, NetDialTLSContext: l.dialTLS}
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { l.event(ctx, in, e) })
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		select {
		case l.lost <- struct{}{}:
		default:
		}
	})
	l.session = s
	return l
}

// open connects: by resuming when the session has begun, else by identifying,
// within the budget for that.
func (l *link) open(ctx context.Context) error {
	address := l.resumeAddress()
	if address == "" {
		var err error
		if address, err = l.a.gatewayAddress(ctx); err != nil {
			return err
		}
	}
	if !l.canResume() {
		if err := l.a.spendIdentify(ctx); err != nil {
			return err
		}
	}
	l.mu.Lock()
	forget := l.address != "" && l.address != address
	l.address, l.tap = address, nil
	l.refuse = forget
	l.mu.Unlock()
	if forget {
		_ = l.session.Open() // fails, and makes discordgo ask for the address again
	}
	select {
	case <-l.lost:
	default:
	}
	l.mu.Lock()
	l.refuse = false
	l.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { l.kill(ctx.Err()) })
	defer stop()
	err := l.session.Open()
	if err == nil {
		return nil
	}
	if t := l.current(); t != nil {
		resume, cause := t.end()
		return &endedError{cause: cause, resume: resume}
	}
	return fmt.Errorf("open the gateway: %w", withoutURL(err))
}

// stand watches an open connection until it ends.
func (l *link) stand(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			l.a.refundIdentify(context.WithoutCancel(ctx))
			if err := l.session.Close(); err != nil {
				l.a.log.DebugContext(ctx, "close discord gateway", "err", err)
			}
			return ctx.Err()
		case <-l.lost:
			cause, resume := error(errCut), true
			if t := l.current(); t != nil {
				resume, cause = t.end()
			}
			return &endedError{cause: cause, resume: resume}
		case <-tick.C:
			if t := l.current(); t != nil && t.overdue() {
				t.kill(errSilent, true)
			}
		}
	}
}

func (l *link) current() *tap {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tap
}

func (l *link) kill(cause error) {
	if t := l.current(); t != nil {
		t.kill(cause, false)
	}
}

func (l *link) canResume() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

func (l *link) resumeAddress() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		return ""
	}
	return first(l.resume, l.address)
}

// event sees every dispatch, in order, on discordgo's reader.
func (l *link) event(ctx context.Context, in bot.Intake, e *discordgo.Event) {
	switch e.Type {
	case "READY":
		var r ready
		if l.a.decode(ctx, e.Type, e.RawData, &r) {
			l.mu.Lock()
			l.begun, l.resume = true, strings.TrimRight(r.ResumeURL, "/")
			l.mu.Unlock()
			l.a.onReady(ctx, in, r)
		}
	case "RESUMED":
		l.a.setUp()
	}
	if t := l.current(); t != nil && (e.Type == "READY" || e.Type == "RESUMED") {
		t.setReady()
	}
	l.a.on(ctx, in, e.Type, e.RawData)
}

// onReady begins a new session: who the bot is, what was missed, its commands.
func (a *Adapter) onReady(ctx context.Context, in bot.Intake, r ready) {
	a.mu.Lock()
	a.botID = r.User.ID
	a.appID = first(r.Application.ID, a.appID)
	a.mu.Unlock()
	a.setUp()
	a.beginCatchUp()
	a.log.InfoContext(ctx, "discord gateway ready", "bot", r.User.ID)
	a.spawn(ctx, func(ctx context.Context) { a.register(ctx, in.Commands()) })
}

func (a *Adapter) setUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.connected, a.why = true, nil
}

func (a *Adapter) setDown(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.connected, a.why = false, why
}

// RoundTrip answers discordgo's only request, for the gateway's address, from
// what is known; every other goes through rest.
func (l *link) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || !strings.HasSuffix(req.URL.Path, "/gateway") {
		return nil, errors.New("discord: unexpected request of the gateway library")
	}
	l.mu.Lock()
	body, err := json.Marshal(map[string]string{"url": l.address})
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(string(body))), ContentLength: int64(len(body)),
	}, nil
}

func (l *link) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := l.dialRaw(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return l.tapped(c), nil
}

// dialTLS encrypts above the tap's place, so that the tap sees frames.
func (l *link) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := l.dialRaw(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(c, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	return l.tapped(secure), nil
}

func (l *link) tapped(c net.Conn) net.Conn {
	t := newTap(c, l.a.cfg.Now)
	l.mu.Lock()
	l.tap = t
	l.mu.Unlock()
	return t
}

// dialRaw connects, through the environment's proxy if there is one.
func (l *link) dialRaw(ctx context.Context, network, addr string) (net.Conn, error) {
	l.mu.Lock()
	refuse := l.refuse
	l.mu.Unlock()
	if refuse {
		return nil, errors.New("discord: the gateway's address has changed")
	}
	var d net.Dialer
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: addr}})
	if err != nil || proxy == nil || proxy.Scheme != "http" {
		return d.DialContext(ctx, network, addr)
	}
	c, err := d.DialContext(ctx, network, proxy.Host)
	if err != nil {
		return nil, err
	}
	if err := throughProxy(c, proxy, addr); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// throughProxy asks an HTTP proxy for a tunnel.
func throughProxy(c net.Conn, proxy *url.URL, addr string) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if u := proxy.User; u != nil {
		password, _ := u.Password()
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(u.Username(), password)
		req.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	}
	if err := req.Write(c); err != nil {
		return err
	}
	// The proxy says nothing after its answer before we do, so nothing is lost in
	// the reader's buffer.
	resp, err := http.ReadResponse(bufio.NewReader(c), req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answered %s", resp.Status)
	}
	return nil
}
