package redisstore

import "context"

// KeepsPlaces reports whether places of an endpoint wait for a Redis that was away when they were given back.
func (s *Store) KeepsPlaces(endpoint string) bool {
	s.returns.mu.Lock()
	defer s.returns.mu.Unlock()
	e := s.returns.of[endpoint]
	return e != nil && e.away
}

// RaiseFence lets the log know a newer token, for graphtest.Fencer.
func (l *Log) RaiseFence(ctx context.Context, thread string, fence int64) error {
	return l.s.client.HSet(ctx, l.s.keys.logs(thread), "@fence", fence).Err()
}
