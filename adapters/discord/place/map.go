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

// Permission bits of the bot's admins.
const (
	permAdministrator = 1 << 3
	permManageGuild   = 1 << 5
)

// Map caches the gateway's state of guilds and channels, as far as needed. Missing entries
// are looked up with the API.
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

// NewMap returns an empty map.
func NewMap() *Map {
	return &Map{channels: cache.New[string, wire.Channel](maxChannels), guilds: cache.New[string, guildInfo](maxGuilds), deleted: cache.New[string, bool](maxChannels)}
}

// SetGuild applies a GUILD_CREATE.
func (p *Map) SetGuild(g wire.Guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setRoles(g)
	for _, c := range append(g.Channels, g.Threads...) {
		c.GuildID = g.ID
		p.channels.Add(c.ID, c)
	}
}

// UpdateGuild applies a GUILD_UPDATE, which has no channels.
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

// SetRole applies a created or changed role.
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

// DropRole applies a deleted role.
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

// GuildIDs returns the most recently seen guilds, newest first.
func (p *Map) GuildIDs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []string
	for id := range p.guilds.All() {
		ids = append(ids, id)
	}
	return ids
}

// DropGuild applies the bot's removal from a guild.
func (p *Map) DropGuild(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guilds.Remove(id)
}

// SetChannel applies a created or changed channel or thread.
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

// DropChannel applies a deleted channel or thread.
func (p *Map) DropChannel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.channels.Remove(id)
	p.deleted.Add(id, true)
}

// IsDeleted reports whether a channel or thread was deleted.
func (p *Map) IsDeleted(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deleted.Has(id)
}

// revive clears a thread's deletion, because it is used again.
func (p *Map) revive(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deleted.Remove(id)
}

// Known returns a cached channel.
func (p *Map) Known(id string) (wire.Channel, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.channels.Get(id)
}

// Server returns the guild of a channel, thread or guild ID, "" if it is unknown.
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

// IsRole reports whether an ID is a cached role: IDs are unique across Discord.
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

// RoleName returns a role's name, "" if it is unknown.
func (p *Map) RoleName(guild, id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, _ := p.guilds.Get(guild)
	return info.roles[id].Name
}

// IsBotRole reports whether a role is the bot's integration role.
func (p *Map) IsBotRole(guild, id, bot string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, _ := p.guilds.Get(guild)
	r, ok := info.roles[id]
	return ok && bot != "" && r.Tags.BotID == bot
}

// isAdmin reports whether a member owns or may manage the guild; false if that is unknown.
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
	for _, r := range append([]string{guild}, m.Roles...) { // the guild's ID is the role @everyone
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
