package discord

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/discord/cache"
	"maru/adapters/discord/wire"
)

const (
	maxChannels = 8192 // remembered channels and threads
	maxGuilds   = 4096
	maxRoles    = 500 // of a guild
)

// Permission bits that make somebody an admin of the bot.
const (
	permAdministrator = 1 << 3
	permManageGuild   = 1 << 5
)

// places is what the gateway told of guilds and channels, as far as the adapter
// needs it. What was forgotten or never told is asked of the API.
type places struct {
	mu       sync.Mutex
	channels *lru.Cache[string, wire.Channel]
	guilds   *lru.Cache[string, guildInfo]
	deleted  *lru.Cache[string, bool] // channels and threads
}

// guildInfo is a guild without its channels.
type guildInfo struct {
	owner string
	roles map[string]wire.Role
}

func newPlaces() *places {
	return &places{channels: cache.New[wire.Channel](maxChannels), guilds: cache.New[guildInfo](maxGuilds), deleted: cache.New[bool](maxChannels)}
}

// setGuild takes over a GUILD_CREATE.
func (p *places) setGuild(g wire.Guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setRoles(g)
	for _, c := range append(g.Channels, g.Threads...) {
		c.GuildID = g.ID
		p.channels.Add(c.ID, c)
	}
}

// updateGuild takes over a GUILD_UPDATE, which tells no channels.
func (p *places) updateGuild(g wire.Guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.Roles != nil {
		p.setRoles(g)
	}
}

func (p *places) setRoles(g wire.Guild) {
	info := guildInfo{owner: g.OwnerID, roles: map[string]wire.Role{}}
	for i, r := range g.Roles {
		if i < maxRoles {
			info.roles[r.ID] = r
		}
	}
	p.guilds.Add(g.ID, info)
}

func (p *places) setRole(guild string, r wire.Role) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, ok := p.guilds.Get(guild)
	if ok && r.ID != "" && len(info.roles) < maxRoles {
		roles := map[string]wire.Role{r.ID: r}
		for id, old := range info.roles {
			if id != r.ID {
				roles[id] = old
			}
		}
		p.guilds.Add(guild, guildInfo{owner: info.owner, roles: roles})
	}
}

func (p *places) dropRole(guild, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, ok := p.guilds.Get(guild)
	if !ok {
		return
	}
	roles := map[string]wire.Role{}
	for k, r := range info.roles {
		if k != id {
			roles[k] = r
		}
	}
	p.guilds.Add(guild, guildInfo{owner: info.owner, roles: roles})
}

// guildIDs returns the guilds that were heard of last, the newest first.
func (p *places) guildIDs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := p.guilds.Keys()
	slices.Reverse(ids)
	return ids
}

func (p *places) dropGuild(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guilds.Remove(id)
}

func (p *places) setChannel(c wire.Channel) {
	if c.ID == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.channels.Get(c.ID); ok {
		c.GuildID = cmp.Or(c.GuildID, old.GuildID)
		c.ParentID = cmp.Or(c.ParentID, old.ParentID)
	}
	p.channels.Add(c.ID, c)
	p.deleted.Remove(c.ID)
}

// dropChannel takes over that somebody deleted a channel or a thread.
func (p *places) dropChannel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.channels.Remove(id)
	p.deleted.Add(id, true)
}

// isDeleted reports whether somebody deleted a channel or a thread.
func (p *places) isDeleted(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deleted.Contains(id)
}

// revive forgets that a thread was deleted: somebody asks there anew.
func (p *places) revive(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deleted.Remove(id)
}

// known returns a channel that the gateway or an earlier question told of.
func (p *places) known(id string) (wire.Channel, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.channels.Get(id)
}

// server is the guild that a channel, a thread or a guild's own id belongs to, "" if none is known.
func (p *places) server(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.channels.Peek(id); ok {
		return c.GuildID
	}
	if p.guilds.Contains(id) {
		return id
	}
	return ""
}

// isRole reports whether an id is a role of a guild that is known: ids are those
// of one thing in all of Discord.
func (p *places) isRole(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, info := range p.guilds.Values() {
		if _, ok := info.roles[id]; ok {
			return true
		}
	}
	return false
}

func (p *places) roleName(guild, id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, _ := p.guilds.Get(guild)
	return info.roles[id].Name
}

// isBotRole reports whether a role is the one that Discord made for the bot.
func (p *places) isBotRole(guild, id, bot string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, _ := p.guilds.Get(guild)
	r, ok := info.roles[id]
	return ok && bot != "" && r.Tags.BotID == bot
}

// isAdmin reports whether a member owns or may manage the guild. What is not
// known is no.
func (p *places) isAdmin(guild, id string, m *wire.Member) bool {
	if m != nil && m.Permissions != "" {
		return managing(m.Permissions)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	info, ok := p.guilds.Get(guild)
	if !ok || guild == "" {
		return false
	}
	if info.owner == id && id != "" {
		return true
	}
	if m == nil {
		return false
	}
	for _, r := range append([]string{guild}, m.Roles...) { // the guild's id is @everyone's
		if managing(info.roles[r].Permissions) {
			return true
		}
	}
	return false
}

func managing(permissions string) bool {
	n, err := strconv.ParseUint(permissions, 10, 64)
	return err == nil && n&(permAdministrator|permManageGuild) != 0
}
