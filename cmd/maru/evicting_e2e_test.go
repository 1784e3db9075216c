package main

import (
	"strings"
	"testing"

	"maru/memory/memtest/servers"
)

// TestAnEvictingRedisIsToldAtTheStart: a start warns of a Redis that drops keys, and of no other.
func TestAnEvictingRedisIsToldAtTheStart(t *testing.T) {
	t.Parallel()
	for policy, warned := range map[string]bool{"allkeys-lru": true, "noeviction": false} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "REDIS_URL="+servers.StartRedisWith(t, "--maxmemory", "10mb", "--maxmemory-policy", policy).URL)
			p.start()
			must(t, "stop", p.stop())
			p.mu.Lock()
			defer p.mu.Unlock()
			if strings.Contains(p.log.String(), "drops keys when it is full") != warned {
				t.Errorf("warned: %v", !warned)
			}
		})
	}
}
