package bot

// ScopePublic is the scope of documents that everybody may read, such as the
// bundled handbook.
const ScopePublic = "public"

// teamScope is the scope of documents that every member of a workspace may read.
func teamScope(t Thread) string { return "team:" + esc(t.Platform) + "/" + esc(t.Team) }

// channelScope is the scope of documents for the readers of one channel.
func channelScope(t Thread) string {
	return "channel:" + esc(t.Platform) + "/" + esc(t.Team) + "/" + esc(t.Channel)
}

// scopesFor returns what a run in thread t for user u may read: only what
// everybody who can read its answer may read. A guest or a stranger in a shared
// channel reads public documents and those of the channel itself.
func scopesFor(t Thread, u User) []string {
	scopes := []string{ScopePublic, channelScope(t)}
	if !u.Guest && !u.External {
		scopes = append(scopes, teamScope(t))
	}
	return scopes
}

// userKey is a person's unique name over platforms and workspaces.
func userKey(t Thread, u User) string {
	return esc(t.Platform) + "/" + esc(t.Team) + "/" + esc(u.ID)
}
