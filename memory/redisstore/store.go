package redisstore

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

//go:embed scripts/*.lua
var scripts embed.FS

// Config configures the Redis connection and its timeouts.
type Config struct {
	URL     string        // redis://, rediss:// or unix://
	Prefix  string        // of every key; default "maru:"
	Timeout time.Duration // of one call that may fail without harm; default 50 ms
	Log     *slog.Logger  // logs outages and recoveries; default: silent
}

// Store is a Redis. Its parts are safe for concurrent use.
type Store struct {
	cfg    Config
	client *redis.Client
	keys   keys
	guard  *guard
	limits *limiter
	hot    *hot

	place                         *redis.Script
	returns                       returns
	logAppend, logRange, logPrune *redis.Script
}

// replyTimeout bounds the wait for a reply of Redis.
const replyTimeout = 3 * time.Second

// Open prepares the connections; it fails only for an address that can never
// work. A Redis that is away is looked for until it is there. The caller closes
// the store.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	opt, err := redis.ParseURL(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("redisstore: REDIS_URL: %w", redact(err))
	}
	cfg.Prefix = cmp.Or(cfg.Prefix, "maru:")
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), 50*time.Millisecond)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	opt.MaxRetries, opt.DialerRetries = -1, 1 // retries are decided here
	opt.ContextTimeoutEnabled = true
	opt.DialTimeout, opt.ReadTimeout, opt.WriteTimeout, opt.PoolTimeout = 2*time.Second, replyTimeout, replyTimeout, 2*time.Second
	opt.ReadBufferSize, opt.WriteBufferSize = 8<<10, 8<<10 // of each connection; the library's 32 KiB hold more than most replies
	opt.DisableIdentity = true
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	quieten()
	client := redis.NewClient(opt)
	s := &Store{cfg: cfg, client: client, keys: keys{cfg.Prefix}, returns: returns{of: map[string]*returned{}}}
	s.guard = newGuard(context.WithoutCancel(ctx), cfg.Timeout, cfg.Log, func(ctx context.Context) error { return client.Ping(ctx).Err() })
	s.limits = newLimiter(s)
	s.hot = &hot{s: s, put: script("hot_put")}
	s.place = script("place")
	s.logAppend, s.logRange, s.logPrune = script("log_append"), script("log_range"), script("log_prune")
	return s, nil
}

// script loads an embedded script; each is there, or the program does not pass
// its first test.
func script(name string) *redis.Script {
	src, err := scripts.ReadFile("scripts/" + name + ".lua")
	if err != nil {
		panic(err) // a wiring mistake
	}
	return redis.NewScript(string(src))
}

// quiet drops the library's own log lines: relevant failures come back as errors, and the lines are neither JSON nor
// go through our logger.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// quieten sets the library's process-wide logger once.
var quieten = sync.OnceFunc(func() { redis.SetLogger(quiet{}) })

// Ping reports whether Redis answers, for /readyz.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*s.cfg.Timeout)
	defer cancel()
	if err := s.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	return nil
}

// Evicts returns the policy by which a full Redis drops keys, and whether it has
// one. Nothing is lost by that, since all is rebuilt from the record, but every
// thread that was dropped costs a rebuild; a server of its own or "noeviction"
// is better. A Redis that does not tell, as many hosted ones, gives "".
func (s *Store) Evicts(ctx context.Context) (policy string, evicts bool) {
	ctx, cancel := context.WithTimeout(ctx, 20*s.cfg.Timeout)
	defer cancel()
	got, err := s.client.ConfigGet(ctx, "maxmemory*").Result()
	if err != nil {
		return "", false
	}
	policy = got["maxmemory-policy"]
	return policy, policy != "" && policy != "noeviction" && got["maxmemory"] != "0"
}

// Close gives the places of ended calls back and ends the connections.
func (s *Store) Close() error {
	s.flushAll(context.Background())
	s.guard.close()
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("redisstore: close: %w", err)
	}
	return nil
}

// redact drops the address from an error of url.Parse, which quotes it with the
// password.
func redact(err error) error {
	if e, ok := asURLError(err); ok {
		return e.Err
	}
	return err
}
