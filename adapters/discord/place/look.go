package place

import (
	"context"
	"net/http"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
)

// lookFresh is the maximum age of an answer of look.
const lookFresh = time.Minute

// looked is an answer of the API, once done is closed.
type looked struct {
	at    time.Time
	done  chan struct{}
	value any
	err   error
}

// look reads an object that labels and guests' marks depend on, and no permission: at most once a minute for all who
// ask, and without waiting for the rate limit.
func look[T any](ctx context.Context, d *Directory, path, bucket string) (out T, err error) {
	for {
		l, ok := d.looks.Get(path)
		if ok && d.now().Sub(l.at).Abs() < lookFresh {
			select {
			case <-l.done:
				out, _ = l.value.(T)
				return out, l.err
			case <-ctx.Done():
				return out, ctx.Err()
			}
		}
		if ok {
			d.looks.Remove(path)
		}
		l = &looked{at: d.now(), done: make(chan struct{})}
		if !d.looks.AddNew(path, l) {
			continue
		}
		l.err = d.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: path, Bucket: bucket, Out: &out, Again: true})
		l.value = out
		if s := rest.StatusOf(l.err); l.err != nil && s != http.StatusNotFound && s != http.StatusForbidden {
			d.looks.Remove(path)
		}
		close(l.done)
		return out, l.err
	}
}

// lookGuild, lookChannel and lookMember read an object as Discord knew it at most a minute ago.
func (d *Directory) lookGuild(ctx context.Context, id string) (wire.Guild, error) {
	return look[wire.Guild](ctx, d, "/guilds/"+id, "guild/"+id)
}

func (d *Directory) lookChannel(ctx context.Context, id string) (wire.Channel, error) {
	return look[wire.Channel](ctx, d, "/channels/"+id, "channel/"+id)
}

func (d *Directory) lookMember(ctx context.Context, guild, id string) (wire.Member, error) {
	return look[wire.Member](ctx, d, "/guilds/"+guild+"/members/"+id, "member/"+guild)
}

// Guest reports whether a person is a guest of a guild, at most a minute late. A person who is not a member is an error.
func (d *Directory) Guest(ctx context.Context, guild, user string) (bool, error) {
	m, err := d.lookMember(ctx, guild, user)
	return m.Guest(), err
}
