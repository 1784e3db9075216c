package render

import "maru/adapters/discord/wire"

// Outgoing is the body of a message. It never mentions anybody and never shows previews:
// NewOutgoing is the only constructor.
type Outgoing struct {
	Content      *string          `json:"content"` // nil for components
	Mentions     allowedMentions  `json:"allowed_mentions"`
	Flags        int              `json:"flags"`
	Components   []wire.Component `json:"components"`
	Attachments  []Attached       `json:"attachments,omitempty"`
	Nonce        string           `json:"nonce,omitempty"`
	EnforceNonce bool             `json:"enforce_nonce,omitempty"`
	Reference    *ReplyReference  `json:"message_reference,omitempty"`
}

type allowedMentions struct {
	Parse       []string `json:"parse"`
	RepliedUser bool     `json:"replied_user"`
}

// ReplyReference makes a message a reply, unless the replied message is gone.
type ReplyReference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

// NewOutgoing returns a part as a request body.
func NewOutgoing(p Part) Outgoing {
	o := Outgoing{Mentions: allowedMentions{Parse: []string{}}, Flags: wire.FlagSuppressEmbeds, Components: p.blocks}
	if p.V2() {
		o.Flags |= wire.FlagV2
		return o
	}
	o.Content, o.Components = &p.content, p.rows
	if o.Components == nil {
		o.Components = []wire.Component{}
	}
	return o
}

// Attached describes a file of a message.
type Attached struct {
	ID       string `json:"id"` // the n of files[n]; a string, as in the OpenAPI description
	Filename string `json:"filename"`
}
