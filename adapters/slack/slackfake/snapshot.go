package slackfake

import "encoding/json"

// snapshot is a workspace in a file, so that a later fake can continue with the messages of an earlier one.
type snapshot struct {
	LastTS   int64
	Users    map[string]*User
	Channels []snapshotChannel
	Files    map[string]*File
}

type snapshotChannel struct {
	Channel
	Messages []*Message
}

// Snapshot encodes the workspace's people, channels, messages and files as JSON. Open streams,
// forms and connections are left out.
func (s *Server) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := snapshot{LastTS: s.lastTS, Users: s.users, Files: s.files}
	for _, c := range s.channels {
		out.Channels = append(out.Channels, snapshotChannel{Channel: c.Channel, Messages: c.messages})
	}
	return json.MarshalIndent(out, "", " ")
}

// Restore replaces the workspace by a snapshot.
func (s *Server) Restore(raw []byte) error {
	var in snapshot
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastTS, s.users, s.files = max(s.lastTS, in.LastTS), in.Users, in.Files
	s.channels = map[string]*channel{}
	for _, c := range in.Channels {
		s.channels[c.ID] = &channel{Channel: c.Channel, messages: c.Messages}
	}
	return nil
}
