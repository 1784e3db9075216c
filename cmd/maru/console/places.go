package console

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/adapters/lanes/cache"
	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/label"
	"maru/phrase"
	"maru/phrase/fit"
)

var _ site.Names = (*Desk)(nil)

// Bounds of the names of places on a page.
const (
	placesAtOnce = 8
	maxPlaces    = 64               // looked up for one page
	placesWait   = time.Second      // a page without names is better than none
	placeFresh   = 10 * time.Minute // age of a name; the adapters' own limit is for cards that people approve
	placeRetry   = time.Minute      // age of a look-up without a result
	keptPlaces   = 4096
	maxPlaceName = 60 // characters

	channelDays   = 90
	maxChannels   = 200
	channelsFresh = time.Minute
	usedChannels  = "" // the only list
)

// placed is the result of a look-up; the zero label means no result.
type placed struct {
	label label.Label
	at    time.Time
}

// usedSince are the channels with runs, as read at a moment.
type usedSince struct {
	keys []string
	at   time.Time
}

// places looks up names at the platforms, and keeps them for a while by reader.
type places struct {
	sources map[string]label.Source // by platform
	now     func() time.Time
	kept    *cache.Cache[string, placed]
	used    *cache.Cache[string, usedSince]
	record  Record
	zone    *time.Location
	log     *slog.Logger // nil: nothing is logged
}

func newPlaces(c Config) places {
	p := places{map[string]label.Source{}, c.Now, cache.New[string, placed](keptPlaces), cache.New[string, usedSince](1), c.Record, c.Zone, c.Log}
	for _, a := range c.Adapters {
		if s, ok := a.(label.Source); ok {
			p.sources[a.Platform()] = s
		}
	}
	return p
}

// NamePlaces implements site.Names. A person of the place's workspace sees what their platform shows them; everybody
// else what it shows all members of the workspace. A place whose platform does not answer in time keeps its last name.
func (p places) NamePlaces(ctx context.Context, by bot.User, from bot.Thread, keys []string) (map[string]string, bool) {
	ctx, cancel := context.WithTimeout(ctx, placesWait)
	defer cancel()
	var (
		mu    sync.Mutex
		all   sync.WaitGroup
		names = map[string]string{}
		slots = make(chan struct{}, placesAtOnce)
		asked int
		late  bool
	)
	note := func(l label.Label, key string, answered bool) {
		mu.Lock()
		defer mu.Unlock()
		if l.Kind != "" {
			names[key] = placeWord(l, key, by.Locale)
		} else if !answered {
			late = true
		}
	}
	for _, key := range keys {
		known, fresh := p.keptName(by, from, key)
		if fresh || asked >= maxPlaces {
			note(known, key, fresh)
			continue
		}
		asked++
		all.Go(func() {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
			}
			l, answered := p.look(ctx, by, from, key)
			if !answered {
				l = known
			}
			note(l, key, answered)
		})
	}
	all.Wait()
	return names, !late
}

// placeWord puts a label into words. That of a private channel has its ID: there may be several.
func placeWord(l label.Label, key, lang string) string {
	_, id := split(key)
	switch name := fit.Quoted(l.Name, maxPlaceName); {
	case l.Kind == label.Private || name == "":
		return phrase.Say(lang, "web.place.private", fit.Clip(fit.OneLine(fit.Clean(id)), maxPlaceName))
	case l.Kind == label.Direct:
		return phrase.Say(lang, "label.direct", name)
	default:
		return name
	}
}

// reader returns the message by whose readers a platform decides which names it shows, and the key of these readers.
func reader(by bot.User, from bot.Thread, place bot.Thread) (bot.Message, string) {
	at := bot.Thread{Platform: place.Platform, Team: place.Team}
	if !from.SharesTeam(at) {
		return bot.Message{Thread: at}, ""
	}
	at.Direct = true
	return bot.Message{Thread: at, User: by}, by.ID
}

// placeOfKey parses "slack/T1/C1" or "slack/T1".
func placeOfKey(key string) (t bot.Thread, id string) {
	parts := strings.Split(key, "/")
	switch len(parts) {
	case 2:
		t = bot.Thread{Platform: bot.Unesc(parts[0]), Team: bot.Unesc(parts[1])}
		return t, t.Team
	case 3:
		t = bot.Thread{Platform: bot.Unesc(parts[0]), Team: bot.Unesc(parts[1]), Channel: bot.Unesc(parts[2])}
		return t, t.Channel
	}
	return t, ""
}

// keptName returns the cached name of a place; fresh is false if it should be looked up.
func (p places) keptName(by bot.User, from bot.Thread, key string) (l label.Label, fresh bool) {
	place, id := placeOfKey(key)
	if p.sources[place.Platform] == nil || id == "" {
		return l, true
	}
	_, who := reader(by, from, place)
	was, ok := p.kept.Get(who + " " + key)
	age := p.now().Sub(was.at)
	return was.label, ok && (age < placeRetry || age < placeFresh && was.label.Kind != "")
}

// look asks a place's platform, and reports whether it answered before ctx ended.
func (p places) look(ctx context.Context, by bot.User, from bot.Thread, key string) (label.Label, bool) {
	place, id := placeOfKey(key)
	m, who := reader(by, from, place)
	s := p.sources[place.Platform]
	var l label.Label
	if id == place.Team || slices.Contains(s.IDs(id), id) {
		if ctx.Err() == nil {
			l = s.LabelOf(ctx, m, id)
		}
		if ctx.Err() != nil {
			return label.Label{}, false
		}
	}
	if was, ok := p.kept.Get(who + " " + key); ok && l.Kind == "" && was.label.Kind != "" {
		l = was.label // a platform that fails tells nothing; its last word stays
	}
	p.kept.Add(who+" "+key, placed{l, p.now()})
	return l, true
}

// Channels implements site.Names. Reading the usage of months takes long, and a page that is kept up to date asks often.
// A page is shown without its suggestions if they cannot be read.
func (p places) Channels(ctx context.Context, by bot.User, _ bot.Thread) ([]string, bool) {
	if !by.Operator {
		return nil, true
	}
	now := p.now().In(p.zone)
	was, ok := p.used.Get(usedChannels)
	if ok && now.Sub(was.at) < channelsFresh {
		return slices.Clone(was.keys), true
	}
	list, err := p.readChannels(ctx, now)
	if err != nil {
		if p.log != nil {
			p.log.WarnContext(ctx, "channels to suggest cannot be read", "err", err)
		}
		return slices.Clone(was.keys), ok
	}
	p.used.Add(usedChannels, usedSince{slices.Clone(list), now})
	return list, true
}

// readChannels lists the channels with runs of the last months, the busiest first.
func (p places) readChannels(ctx context.Context, now time.Time) ([]string, error) {
	rows, err := p.record.Usage(ctx, bot.UsageQuery{From: now.AddDate(0, 0, -channelDays).Format(time.DateOnly), To: now.Format(time.DateOnly)})
	if err != nil {
		return nil, fmt.Errorf("read channels: %w", err)
	}
	direct, err := p.record.Direct(ctx)
	if err != nil {
		return nil, fmt.Errorf("list direct conversations: %w", err)
	}
	runs := map[string]int{}
	for _, u := range rows {
		if u.Channel != "" && !privateChannel(u.Team, u.Channel, direct) {
			runs[u.Team+"/"+bot.Esc(u.Channel)] += u.Runs
		}
	}
	list := slices.SortedFunc(maps.Keys(runs), func(a, b string) int { return cmp.Or(cmp.Compare(runs[b], runs[a]), cmp.Compare(a, b)) })
	return list[:min(len(list), maxChannels)], nil
}

// privateChannel reports whether a channel of the usage is a private conversation other than those of whoever runs the program.
func privateChannel(team, channel string, direct []string) bool {
	return !owners(team) && (strings.HasPrefix(team, "web/") || slices.Contains(direct, team+"/"+bot.Esc(channel)))
}

// PersonID implements site.Names. Only operators look up others.
func (p places) PersonID(ctx context.Context, by bot.User, text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", nil
	case !by.Operator && strings.EqualFold(text, by.Name):
		return by.ID, nil
	case !by.Operator:
		return text, nil
	}
	rows, err := p.record.People(ctx, maxPeople)
	if err != nil {
		return "", fmt.Errorf("list people: %w", err)
	}
	found := ""
	for _, r := range rows {
		name := cmp.Or(r.Name, r.User)
		if r.User == "owner" && owners((bot.Thread{Platform: r.Platform, Team: r.Team}).TeamKey()) {
			name = phrase.Say(by.Locale, "web.owner")
		}
		switch {
		case r.User == text:
			return text, nil
		case !strings.EqualFold(name, text), r.User == found:
		case found != "":
			return text, nil // several
		default:
			found = r.User
		}
	}
	return cmp.Or(found, text), nil
}
