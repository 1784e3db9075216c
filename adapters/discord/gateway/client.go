package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Config is what a client needs. All but Proxy must be set.
type Config struct {
	Token         string // without "Bot "
	Shard, Shards int    // this connection's number, and how many there are

	// Begin is asked before each new session: where the gateway is and what to
	// ask it for. It returns when a session may begin; an error that is ErrStop
	// ends Run.
	Begin func(ctx context.Context) (Start, error)
	// Spend is told right before an identify is sent.
	Spend func(ctx context.Context) error
	// Handle takes the events, in order, one at a time. It must not wait.
	Handle func(ctx context.Context, d Dispatch)
	// Up and Down are told when the connection stands and why it does not. After
	// Down with resume the session's events will still come.
	Up   func()
	Down func(cause error, resume bool)
	// Missed is told when events are lost for good.
	Missed func()

	Log    *slog.Logger
	Wait   func(ctx context.Context, d time.Duration) error
	Jitter func() float64 // in [0,1)
	Proxy  func(*http.Request) (*url.URL, error)
}

// Start is where and with what a session begins.
type Start struct {
	Address string // of the gateway, ws:// or wss://
	Intents int
}

// Client keeps one shard connected.
type Client struct {
	cfg   Config
	order order

	// The session, "" if there is none that could be resumed.
	session   string
	resumeURL string
	address   string // where the session began
}

// New makes a client. Run connects it.
func New(cfg Config) *Client { return &Client{cfg: cfg} }

// Run keeps the shard connected until ctx ends, and then returns nil. An error
// is one that trying again would not change: a [*CloseError], or Begin's.
func (c *Client) Run(ctx context.Context) error {
	for failures := 0; ctx.Err() == nil; failures++ {
		stood, err := c.connect(ctx)
		if ctx.Err() != nil {
			break
		}
		if stood {
			failures = 0
		}
		e := c.ended(err, failures)
		c.cfg.Down(e.cause, c.session != "")
		if fatal(err) {
			return e.cause
		}
		c.cfg.Log.WarnContext(ctx, "discord gateway disconnected", "shard", c.cfg.Shard, "err", e.cause, "resume", c.session != "")
		if c.cfg.Wait(ctx, c.pause(failures, e)) != nil {
			break
		}
	}
	return nil
}

// Failures in a row after which another address is tried, and after which the
// session is given up.
const (
	otherAddress = 2
	otherSession = 6
)

// ended draws the conclusions of a connection's end.
func (c *Client) ended(err error, failures int) *end {
	var e *end
	if !errors.As(err, &e) {
		e = &end{cause: err, resume: true} // it was not even reached
	}
	if failures >= otherAddress {
		c.resumeURL = ""
	}
	if !e.resume || failures >= otherSession {
		c.session = ""
	}
	return e
}

// pause is how long to wait before the next attempt: longer with each failure.
// After an invalid session Discord wants 1 to 5 seconds.
func (c *Client) pause(failures int, e *end) time.Duration {
	var d time.Duration
	if failures > 0 {
		d = time.Second << min(failures-1, 6)
		d = d/2 + time.Duration(c.cfg.Jitter()*float64(d)/2)
	}
	if errors.Is(e.cause, ErrInvalid) || c.session == "" {
		d = max(d, time.Second+time.Duration(c.cfg.Jitter()*float64(4*time.Second)))
	}
	return d
}

// connect makes one connection and serves it until it ends. stood says that the
// session had begun or gone on.
func (c *Client) connect(ctx context.Context) (stood bool, err error) {
	address := c.resumeURL
	if address == "" {
		address = c.address
	}
	start := Start{Address: address}
	if c.session == "" {
		if start, err = c.cfg.Begin(ctx); err != nil {
			return false, err
		}
		c.address, c.resumeURL = start.Address, ""
	}
	l, err := dial(ctx, start.Address, c.cfg)
	if err != nil {
		return false, err
	}
	var beating sync.WaitGroup
	defer beating.Wait()
	defer l.close(0)
	stop := context.AfterFunc(ctx, func() { l.close(1000) })
	defer stop()
	interval, err := l.hello()
	if err != nil {
		return false, err
	}
	beat, cancel := context.WithCancel(ctx)
	defer cancel()
	beating.Go(func() { l.beat(beat, interval) })
	if err := c.introduce(ctx, l, start.Intents); err != nil {
		return false, err
	}
	return c.serve(ctx, l)
}

// introduce goes on with the session, or begins one.
func (c *Client) introduce(ctx context.Context, l *link, intents int) error {
	if c.session != "" {
		l.seq.Store(c.order.last)
		return l.send(opResume, resume{Token: c.cfg.Token, Session: c.session, Seq: c.order.last})
	}
	if err := c.cfg.Spend(ctx); err != nil {
		return err
	}
	return l.send(opIdentify, newIdentify(c.cfg.Token, intents, c.cfg.Shard, c.cfg.Shards))
}

// serve reads a connection until it ends.
func (c *Client) serve(ctx context.Context, l *link) (stood bool, err error) {
	defer c.order.lost()
	for {
		f, err := l.read()
		if err != nil {
			return stood, err
		}
		switch f.Op {
		case opDispatch:
			stood = c.dispatch(ctx, l, f) || stood
		case opHeartbeat:
			err = l.heartbeat()
		case opReconnect:
			err = &end{cause: ErrReconnect, resume: true}
		case opInvalid:
			err = &end{cause: ErrInvalid, resume: string(f.Data) == "true"}
		}
		if err != nil {
			return stood, err
		}
	}
}
