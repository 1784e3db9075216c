package outbound

import (
	"context"
	"net/http"
	"net/url"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// React implements bot.Reactor. A mark that would wait for longer than a click does is
// refused with the time to wait; so is the queue's mark while the rate limit delays answers.
func (s *Sender) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	emoji := map[bot.Mark]string{bot.MarkSeen: "👀", bot.MarkQueued: "⏳"}[mark]
	if emoji == "" || wire.IDNumber(message) == 0 {
		return nil
	}
	method, route := http.MethodPut, "react/"
	if !on {
		method, route = http.MethodDelete, "unreact/"
	}
	channel := s.dir.Where(to.Thread, message)
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	err := s.api.Do(ctx, rest.Call{
		Method: method, Path: "/channels/" + channel + "/messages/" + message + "/reactions/" + url.PathEscape(emoji) + "/@me",
		Bucket: route + channel, Again: true, Urgent: !on || mark != bot.MarkQueued,
	})
	return rest.Delivery("react", err)
}
