package discord

import (
	"context"
	"io"
	"net/http"
	"time"

	"maru/adapters/discord/inbound"
	"maru/adapters/discord/interact"
	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/bot/label"
	"maru/bot/said"
)

// Dated implements bot.Dater.
func (a *Adapter) Dated(message string) time.Time { return wire.IDTime(message) }

// Platform implements bot.Adapter.
func (a *Adapter) Platform() string { return place.Platform }

// Facts implements bot.Adapter.
func (a *Adapter) Facts() bot.Facts {
	return bot.Facts{
		SilentEdits:      true,
		GlobalAccounts:   true, // across all servers and direct messages
		AnswersInChannel: a.cfg.ChannelAnswers,
		AdminCommand:     "/" + interact.AdminCommand(a.cfg.Command),
		FormInputs:       render.MaxModalInputs,
		ShowsWorkAfter:   time.Second,
	}
}

// EditEvery implements bot.Editor.
func (a *Adapter) EditEvery() time.Duration { return a.cfg.EditEvery }

// Picks implements bot.Picker: Discord's menu lists people and roles.
func (*Adapter) Picks(_ bot.Thread, id string) bool { return wire.IDNumber(id) != 0 }

// IsID implements bot.Picker.
func (*Adapter) IsID(id string) bool { return wire.IDNumber(id) != 0 }

// Groups implements bot.Picker: the menu already lists all roles.
func (*Adapter) Groups(context.Context, bot.Thread) []bot.Option { return nil }

// Links implements bot.Linker.
func (*Adapter) Links(text string) []string { return inbound.Links(text) }

// Post implements bot.Adapter.
func (a *Adapter) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	return a.out.Post(ctx, to, c, key)
}

// Prepare implements the preparer of package reply.
func (a *Adapter) Prepare(ctx context.Context, to bot.Target) { a.out.Prepare(ctx, to) }

// Edit implements bot.Editor.
func (a *Adapter) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	return a.out.Edit(ctx, ref, c)
}

// Remove implements bot.Remover.
func (a *Adapter) Remove(ctx context.Context, ref bot.Ref) error { return a.out.Remove(ctx, ref) }

// Find implements bot.Finder.
func (a *Adapter) Find(ctx context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	return a.out.Find(ctx, to, key)
}

// Upload implements bot.Uploader.
func (a *Adapter) Upload(ctx context.Context, p bot.Parcel) error { return a.out.Upload(ctx, p) }

// Withdraw removes the files of a parcel.
func (a *Adapter) Withdraw(ctx context.Context, p bot.Parcel) error { return a.out.Withdraw(ctx, p) }

// Direct implements bot.Direct.
func (a *Adapter) Direct(ctx context.Context, t bot.Thread, u bot.User, c bot.Card) error {
	return a.out.Direct(ctx, t, u, c)
}

// OpenDirect implements bot.Direct.
func (a *Adapter) OpenDirect(ctx context.Context, t bot.Thread, u bot.User) (at bot.Thread, threads bool, err error) {
	return a.out.OpenDirect(ctx, t, u)
}

// React implements bot.Reactor; a command has no message to react to.
func (a *Adapter) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	if a.handler.WasAnswered(message) {
		return nil
	}
	return a.out.React(ctx, to, message, mark, on)
}

// Typing implements bot.Typer.
func (a *Adapter) Typing(ctx context.Context, to bot.Target, status string) error {
	return a.typist.Typing(ctx, to, status)
}

// Whisper implements bot.Whisperer.
func (a *Adapter) Whisper(ctx context.Context, to bot.Target, u bot.User, c bot.Card) error {
	return a.handler.Whisper(ctx, to, u, c)
}

// Fetch implements bot.Fetcher.
func (a *Adapter) Fetch(ctx context.Context, f bot.File, limit int64) (io.ReadCloser, error) {
	return a.api.Fetch(ctx, f, limit)
}

// Member implements bot.Members.
func (a *Adapter) Member(ctx context.Context, t bot.Thread, user, group string) (bool, error) {
	return a.dir.Member(ctx, t, user, group)
}

// Readers implements audience.Lister.
func (a *Adapter) Readers(ctx context.Context, t bot.Thread) ([]string, error) {
	return a.dir.Readers(ctx, t)
}

// PersonNow returns a present member of a guild from Discord; false if there is none.
func (a *Adapter) PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error) {
	return a.dir.PersonNow(ctx, t, id)
}

// NameOf implements bot.Namer.
func (a *Adapter) NameOf(ctx context.Context, t bot.Thread, id string) string {
	return a.dir.NameOf(ctx, t, id)
}

// IDs implements label.Source.
func (a *Adapter) IDs(text string) []string { return a.dir.IDs(text) }

// LabelOf implements label.Source.
func (a *Adapter) LabelOf(ctx context.Context, m bot.Message, id string) label.Label {
	return a.dir.LabelOf(ctx, m, id)
}

// History implements bot.Historian.
func (a *Adapter) History(ctx context.Context, t bot.Thread, before string, limit int) ([]bot.Message, error) {
	return a.reader.History(ctx, t, before, limit)
}

// Said implements said.Searcher.
func (a *Adapter) Said(ctx context.Context, m bot.Message, q said.Query) (said.Found, error) {
	return a.reader.Said(ctx, m, q)
}

// Read implements said.Reader.
func (a *Adapter) Read(ctx context.Context, m bot.Message, q said.Span) (said.Talk, error) {
	return a.reader.Read(ctx, m, q)
}

// Linked implements bot.Linker.
func (a *Adapter) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	return a.reader.Linked(ctx, m, link)
}

// Mount implements bot.Mounter.
func (a *Adapter) Mount(mux *http.ServeMux, in bot.Intake) { a.endpoint.Mount(mux, in) }

// GiveBack removes the bot from a guild.
func (a *Adapter) GiveBack(ctx context.Context, in bot.Installation) error {
	return a.tenants.GiveBack(ctx, in)
}
