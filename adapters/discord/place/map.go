package place

import (
	"cmp"
	"strconv"
	"sync"

	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
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

// Map is what the gateway told of guilds and channels, as far as the adapter
// needs it. What was forgotten or never told is asked of the API.
type Map struct {
	mu       sync.Mutex
	channels *cache.Cache[string, wire.Channel]
	guilds   *cache.Cache[string, guildInfo]
	deleted  *cache.Cache[string, bool] // channels and threads
}

// guildInfo is a guild without its channels.
type guildInfo struct {
	owner string
	roles map[string]wire.Role
}

// NewMap returns a map of nothing.
func NewMap() *Map {
	return &Map{channels: cache.New[string, wire.Channel](maxChannels), guilds: cache.New[string, guildInfo](maxGuilds), deleted: cache.New[string, bool](maxChannels)}
}

// SetGuild takes over a GUILD_CREATE.
func (p *Map) SetGuild(g wire.Guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setRoles(g)
	for _, c := range append(g.Channels, g.Threads...) {
		c.GuildID = g.ID
		p.channels.Add(c.ID, c)
	}
}

// UpdateGuild takes over a GUILD_UPDATE, which tells no channels.
func (p *Map) UpdateGuild(g wire.Guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.Roles != nil {
		p.setRoles(g)
	}
}

func (p *Map) setRoles(g wire.Guild) {
	info := guildInfo{owner: g.OwnerID, roles: map[string]wire.Role{}}
	for i, r := range g.Roles {
		if i < maxRoles {
			info.roles[r.ID] = r
		}
	}
	p.guilds.Add(g.ID, info)
}

// SetRole takes over that a role was made or changed.
func (p *Map) SetRole(guild string, r wire.Role) {
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

// DropRole takes over that a role was deleted.
func (p *Map) DropRole(guild, id string) {
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

// GuildIDs returns the guilds that were heard of last, the newest first.
func (p *Map) GuildIDs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []string
	for id := range p.guilds.All() {
		ids = append(ids, id)
	}
	return ids
}

// DropGuild takes over that the bot is not in a guild any more.
func (p *Map) DropGuild(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guilds.Remove(id)
}

// SetChannel takes over what a channel or a thread is.
func (p *Map) SetChannel(c wire.Channel) {
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

// DropChannel takes over that somebody deleted a channel or a thread.
func (p *Map) DropChannel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.channels.Remove(id)
	p.deleted.Add(id, true)
}

// IsDeleted reports whether somebody deleted a channel or a thread.
func (p *Map) IsDeleted(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deleted.Has(id)
}

// revive forgets that a thread was deleted: somebody asks there anew.
func (p *Map) revive(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deleted.Remove(id)
}

// Known returns a channel that the gateway or an earlier question told of.
func (p *Map) Known(id string) (wire.Channel, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.channels.Get(id)
}

// Server is the guild that a channel, a thread or a guild's own id belongs to, "" if none is known.
func (p *Map) Server(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.channels.Get(id); ok {
		return c.GuildID
	}
	if p.guilds.Has(id) {
		return id
	}
	return ""
}

// IsRole reports whether an id is a role of a guild that is known: ids are those
// of one thing in all of Discord.
func (p *Map) IsRole(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, info := range p.guilds.All() {
		if _, ok := info.roles[id]; ok {
			return true
		}
	}
	return false
}

// RoleName is a role's name, "" if it is not known.
func (p *Map) RoleName(guild, id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, _ := p.guilds.Get(guild)
	return info.roles[id].Name
}

// IsBotRole reports whether a role is the one that Discord made for the bot.
func (p *Map) IsBotRole(guild, id, bot string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, _ := p.guilds.Get(guild)
	r, ok := info.roles[id]
	return ok && bot != "" && r.Tags.BotID == bot
}

// isAdmin reports whether a member owns or may manage the guild. What is not
// known is no.
func (p *Map) isAdmin(guild, id string, m *wire.Member) bool {
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
