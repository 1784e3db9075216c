// Package redisstore keeps in Redis what may be lost at any moment and is
// cheaper to share than to rebuild: the live state of threads ([graph.Hot]: the
// message window and its summaries), live events between replicas
// ([bot.Events]) and rate-limit buckets. README.md lists every key.
//
// A Redis that is away or slow costs a call at most Config.Timeout, and after a
// few such calls nothing (guard.go); nothing that a person sees depends on it.
//
// [Log] is the exception: a [graph.Checkpointer] for those who run Redis with
// its append-only file and want no database for the logs of graphs. It waits
// and reports errors as a record does.
package redisstore
