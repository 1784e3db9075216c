package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Config configures a client. All fields but Proxy are required.
type Config struct {
	Token         string // without "Bot "
	Shard, Shards int    // this connection's number, and their count

	// Begin is called before each new session and returns the gateway's URL and the intents,
	// once a session may begin; an ErrStop ends Run.
	Begin func(ctx context.Context) (Start, error)
	// Spend is called right before an identify is sent.
	Spend func(ctx context.Context) error
	// Handle receives the events in order, one at a time. It must not block.
	Handle func(ctx context.Context, d Dispatch)
	// Up and Down are called when the connection is established and lost. After Down with
	// resume the session's events will still arrive.
	Up   func()
	Down func(cause error, resume bool)
	// Missed is called when events are lost for good.
	Missed func()

	Log    *slog.Logger
	Wait   func(ctx context.Context, d time.Duration) error
	Jitter func() float64 // in [0,1)
	Proxy  func(*http.Request) (*url.URL, error)
}

// Start holds the parameters of a new session.
type Start struct {
	Address string // of the gateway, ws:// or wss://
	Intents int
}

// Client keeps one shard connected.
type Client struct {
	cfg   Config
	order order

	// The session, "" if none can be resumed.
	session   string
	resumeURL string
	address   string // of the session's gateway
}

// New creates a client. Run connects it.
func New(cfg Config) *Client { return &Client{cfg: cfg} }

// Run keeps the shard connected until ctx ends, and then returns nil. Its errors are
// permanent: a [*CloseError], or Begin's.
func (c *Client) Run(ctx context.Context) error {
	brief := 0 // connections in a row that were established and broke at once
	for failures := 0; ctx.Err() == nil; failures++ {
		began := time.Now()
		stood, err := c.connect(ctx)
		if ctx.Err() != nil {
			break
		}
		if stood {
			failures = 0
			if brief++; time.Since(began) > steady {
				brief = 0
			}
		}
		e := c.classifyEnd(err, failures)
		c.cfg.Down(e.cause, c.session != "")
		if fatal(err) {
			return e.cause
		}
		c.cfg.Log.WarnContext(ctx, "discord gateway disconnected", "shard", c.cfg.Shard, "err", e.cause, "resume", c.session != "")
		if c.cfg.Wait(ctx, c.pause(max(failures, min(brief-1, mostBrief)), e)) != nil {
			break
		}
	}
	return nil
}

// Consecutive failures after which to try another URL, and to drop the session.
const (
	otherAddress = 2
	otherSession = 6
)

// A session whose connections break within this time of their beginning is resumed with a backoff of up to mostBrief
// failures, so that it is not resumed without end and pause.
const (
	steady    = 5 * time.Second
	mostBrief = 3
)

// classifyEnd classifies the end of a connection.
func (c *Client) classifyEnd(err error, failures int) *end {
	var e *end
	if !errors.As(err, &e) {
		e = &end{cause: err, resume: true} // the gateway was not reached
	}
	if failures >= otherAddress {
		c.resumeURL = ""
	}
	if !e.resume || failures >= otherSession {
		c.session = ""
	}
	return e
}

// pause returns the reconnection backoff. After an invalid session Discord requires 1 to 5
// seconds.
func (c *Client) pause(failures int, e *end) time.Duration {
	var d time.Duration
	if failures > 0 {
		d = time.Second << min(failures-1, 6)
		d = d/2 + time.Duration(c.cfg.Jitter()*float64(d)/2)
	}
	if errors.Is(e.cause, errInvalid) || c.session == "" {
		d = max(d, time.Second+time.Duration(c.cfg.Jitter()*float64(4*time.Second)))
	}
	return d
}

// connect makes one connection and serves it until it ends. stood means that the session was
// established or resumed.
func (c *Client) connect(ctx context.Context) (stood bool, err error) {
	address := cmp.Or(c.resumeURL, c.address)
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
	if err := c.resumeOrIdentify(ctx, l, start.Intents); err != nil {
		return false, err
	}
	return c.serve(ctx, l)
}

// resumeOrIdentify resumes the session or identifies.
func (c *Client) resumeOrIdentify(ctx context.Context, l *link, intents int) error {
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
	defer c.order.dropWaiting()
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
			err = &end{cause: errReconnect, resume: true}
		case opInvalid:
			err = &end{cause: errInvalid, resume: string(f.Data) == "true"}
		}
		if err != nil {
			return stood, err
		}
	}
}
