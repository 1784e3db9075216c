package render

import "maru/adapters/discord/wire"

// Outgoing is a message as it is sent. Mentions are allowed for nobody and
// previews are off, always: there is no other way to make one than newOutgoing.
type Outgoing struct {
	Content      *string          `json:"content"` // nil in a message of components
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

// ReplyReference ties an answer to a message, and does without if that is gone.
type ReplyReference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

// NewOutgoing is a part as the body of a request.
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

// Attached names a file of a message.
type Attached struct {
	ID       string `json:"id"` // the n of files[n]; a text, as the OpenAPI description wants
	Filename string `json:"filename"`
}
