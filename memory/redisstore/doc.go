// Package redisstore caches in Redis the data that may be lost at any moment and is cheaper to share than to rebuild:
// the live state of threads ([graph.Hot]: the message window and its summaries), live events between replicas
// ([bot.Events]) rate-limit buckets and the calls of models in flight. README.md lists every key.
//
// A slow or unreachable Redis costs a call at most Config.Timeout, and nothing once the circuit breaker opens
// (guard.go); no visible behaviour depends on it.
//
// [Log] is the exception: a [graph.Checkpointer] for deployments that run Redis with its append-only file and keep no
// graph logs in a database. It waits and reports errors as a record does.
package redisstore
