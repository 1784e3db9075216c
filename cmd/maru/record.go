package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"maru/agent/graph"
	"maru/agent/llm/queue"
	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/definition"
	"maru/bot/exchange"
	"maru/bot/outside"
	"maru/bot/overview"
	"maru/bot/parking"
	"maru/memory/history"
	"maru/memory/longterm"
	"maru/memory/pgstore"
	"maru/memory/redisstore"
	"maru/memory/sqlitestore"
	"maru/rag/source"
)

// record is the durable store, including the graphs' logs.
type record interface {
	bot.Record
	graph.Checkpointer
	source.Store
	attached.Store
	overview.Store
	calendar.Store
	definition.Store
	exchange.Store
	history.Record
	outside.Store
	parking.Store
	io.Closer
}

// stores holds all stores but the documents.
type stores struct {
	record   record
	memories longterm.Store    // in the record
	redis    *redisstore.Store // nil without one
}

func openStores(ctx context.Context, b base) (stores, error) {
	record, memories, err := openRecord(ctx, b)
	if err != nil {
		return stores{}, err
	}
	redis, err := openRedis(ctx, b)
	return stores{record, memories, redis}, err
}

// openRecord opens PostgreSQL if it is configured, or the embedded file, and the
// long-term memories in it.
func openRecord(ctx context.Context, b base) (record, longterm.Store, error) {
	if url := b.cfg.Store.DatabaseURL.Reveal(); url != "" {
		s, err := pgstore.Open(ctx, pgstore.Config{URL: url, Log: b.log})
		if err != nil {
			return nil, nil, fmt.Errorf("DATABASE_URL: %w; check that PostgreSQL runs there, has this database and accepts this login, or unset it to keep everything in a file under DATA_DIR", err)
		}
		b.opened.add(s)
		return s, s.Memory(), nil
	}
	s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: recordPath(b.cfg.Store), Log: b.log})
	if err != nil {
		return nil, nil, explainEmbedded(b, err)
	}
	b.opened.add(s)
	return s, s.Memory(), nil
}

// explainEmbedded adds the remedy to an error of the embedded record or index.
func explainEmbedded(b base, err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, sqlitestore.ErrInUse):
		return whileServing(err, "stop the other one, or give this one a folder of its own with --data-dir")
	case errors.Is(err, sqlitestore.ErrDamaged):
		return fmt.Errorf("DATA_DIR is %q: %w; restore %s with its -wal from a backup, or name another folder with DATA_DIR or --data-dir", b.cfg.Store.DataDir, err, recordPath(b.cfg.Store))
	case errors.Is(err, syscall.ENOSPC): // room returns the remedy
	case errors.As(err, &path):
		return fmt.Errorf("DATA_DIR is %q: %w; name a folder that this program may make and write to, with DATA_DIR or --data-dir", b.cfg.Store.DataDir, err)
	}
	return err
}

// openRedis opens the shared cache of live state, nil if none is configured. It is optional: an unreachable Redis
// is used once it answers.
func openRedis(ctx context.Context, b base) (*redisstore.Store, error) {
	url := b.cfg.Store.RedisURL.Reveal()
	if url == "" {
		return nil, nil //nolint:nilnil // no Redis: the copy in process serves
	}
	s, err := redisstore.Open(ctx, redisstore.Config{URL: url, Log: b.log})
	if err != nil {
		return nil, err
	}
	b.opened.add(s)
	if err := s.Ping(ctx); err != nil {
		b.log.WarnContext(ctx, "REDIS_URL: Redis does not answer; the program starts without it and uses it once it answers: check that it runs there and accepts this login, or unset REDIS_URL",
			"err", err)
	} else if policy, evicts := s.Evicts(ctx); evicts {
		b.log.WarnContext(ctx, "Redis drops keys when it is full: nothing is lost, but threads are rebuilt from the record; give it a Redis of its own or set maxmemory-policy noeviction",
			"policy", policy)
	}
	return s, nil
}

// hot returns the live state in Redis, nil without Redis.
func (s stores) hot() graph.Hot {
	if s.redis == nil {
		return nil
	}
	return s.redis.Hot()
}

// calls counts the models' calls of all replicas, nil without Redis.
func (s stores) calls() queue.Shared {
	if s.redis == nil {
		return nil
	}
	return s.redis
}

// events returns the distribution of live events among replicas. Without Redis each replica shows its own runs
// live, and those of others from the record.
func (s stores) events() bot.Events {
	if s.redis == nil {
		return nil
	}
	return s.redis.Events()
}
