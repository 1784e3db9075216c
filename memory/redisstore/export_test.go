package redisstore

import "context"

// RaiseFence lets the log know a newer token, for graphtest.Fencer.
func (l *Log) RaiseFence(ctx context.Context, thread string, fence int64) error {
	return l.s.client.HSet(ctx, l.s.keys.logs(thread), "@fence", fence).Err()
}
