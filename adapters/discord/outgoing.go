package discord

import "maru/adapters/discord/wire"

// outgoing is a message as it is sent. Mentions are allowed for nobody and
// previews are off, always: there is no other way to make one than newOutgoing.
type outgoing struct {
	Content      *string          `json:"content"` // nil in a message of components
	Mentions     allowedMentions  `json:"allowed_mentions"`
	Flags        int              `json:"flags"`
	Components   []wire.Component `json:"components"`
	Attachments  []attached       `json:"attachments,omitempty"`
	Nonce        string           `json:"nonce,omitempty"`
	EnforceNonce bool             `json:"enforce_nonce,omitempty"`
	Reference    *replyReference  `json:"message_reference,omitempty"`
}

type allowedMentions struct {
	Parse       []string `json:"parse"`
	RepliedUser bool     `json:"replied_user"`
}

// replyReference ties an answer to a message, and does without if that is gone.
type replyReference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

func newOutgoing(p part) outgoing {
	o := outgoing{Mentions: allowedMentions{Parse: []string{}}, Flags: wire.FlagSuppressEmbeds, Components: p.blocks}
	if p.v2() {
		o.Flags |= wire.FlagV2
		return o
	}
	o.Content, o.Components = &p.content, p.rows
	if o.Components == nil {
		o.Components = []wire.Component{}
	}
	return o
}

// attached names a file of a message.
type attached struct {
	ID       string `json:"id"` // the n of files[n]; a text, as the OpenAPI description wants
	Filename string `json:"filename"`
}
