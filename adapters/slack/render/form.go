package render

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"maru/adapters/slack/payload"
	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// FormMeta is a form's private metadata: it routes the submitted values on any replica. It
// names rows and places and grants no permission.
type FormMeta struct {
	ID      string     `json:"i"`
	Verb    string     `json:"v"`
	Thread  bot.Thread `json:"t"`
	Message string     `json:"m,omitempty"`
	Home    bool       `json:"h,omitempty"`
}

// ReadFormMeta decodes a form's metadata; false for a form of another origin.
func ReadFormMeta(s string) (FormMeta, bool) {
	var m FormMeta
	err := json.Unmarshal([]byte(s), &m)
	return m, err == nil && m.ID != ""
}

const (
	formCallback = "maru_form"
	formAction   = "value" // action_id of every input; the block_id tells them apart
)

// Form converts a form to a modal, each part clipped to Slack's limits.
func Form(f bot.Form, meta FormMeta) (slack.ModalViewRequest, error) {
	meta.ID, meta.Verb = f.ID, f.Verb
	raw, err := json.Marshal(meta)
	if err != nil || len(raw) > maxPrivate {
		return slack.ModalViewRequest{}, errors.Join(errors.New("slack: form id is too long"), err)
	}
	var set []slack.Block
	seen := map[string]bool{}
	for _, in := range f.Inputs {
		id := Clip(in.ID, MaxID)
		if id == "" || seen[id] || len(set) == maxModalBlocks {
			continue
		}
		seen[id] = true
		set = append(set, inputBlock(id, in))
	}
	if len(set) == 0 {
		return slack.ModalViewRequest{}, fmt.Errorf("slack: form %q has no inputs", f.Title)
	}
	return slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: formCallback, PrivateMetadata: string(raw), NotifyOnClose: true,
		Title:  plainText(f.Title, "Maru", maxModalTitle),
		Submit: plainText(f.Submit, "OK", maxModalTitle),
		Blocks: slack.Blocks{BlockSet: set},
	}, nil
}

func inputBlock(id string, in bot.Input) slack.Block {
	var el slack.BlockElement = textInput(in)
	switch {
	case len(in.Options) > 0:
		el = selectInput(in)
	case in.Pick:
		el = peopleInput(in)
	case fitsMenu(in.Several):
		el = multiInput(in)
	}
	b := slack.NewInputBlock(id, plainText(in.Label, in.ID, maxLabel), nil, el)
	if in.Hint != "" {
		b.Hint = plainText(in.Hint, "", maxLabel)
	}
	b.Optional = !in.Required
	return b
}

func textInput(in bot.Input) *slack.PlainTextInputBlockElement {
	el := slack.NewPlainTextInputBlockElement(nil, formAction)
	el.Multiline = in.Long
	el.MaxLength = MaxInput
	if in.Max > 0 && in.Max < MaxInput {
		el.MaxLength = in.Max
	}
	el.InitialValue = Clip(in.Value, el.MaxLength)
	return el
}

func selectInput(in bot.Input) *slack.SelectBlockElement {
	var opts []*slack.OptionBlockObject
	var chosen *slack.OptionBlockObject
	for _, o := range in.Options {
		if len(opts) == maxOptions {
			break
		}
		if o.Value == "" || fit.UTF16(o.Value) > maxOption {
			continue // a value must round-trip unchanged
		}
		opt := slack.NewOptionBlockObject(o.Value, plainText(o.Label, o.Value, maxOption), nil)
		if o.Value == in.Value {
			chosen = opt
		}
		opts = append(opts, opt)
	}
	el := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, formAction, opts...)
	el.InitialOption = chosen
	return el
}

// fitsMenu reports whether a menu can show all choices unchanged: a submitted menu with fewer
// would remove the missing ones.
func fitsMenu(options []bot.Option) bool {
	return len(options) > 0 && len(options) <= maxOptions &&
		!slices.ContainsFunc(options, func(o bot.Option) bool { return o.Value == "" || fit.UTF16(o.Value) > maxOption })
}

// multiInput returns a multi-select menu.
func multiInput(in bot.Input) *slack.MultiSelectBlockElement {
	var opts, chosen []*slack.OptionBlockObject
	set := in.Values()
	for _, o := range in.Several {
		opt := slack.NewOptionBlockObject(o.Value, plainText(o.Label, o.Value, maxOption), nil)
		if opts = append(opts, opt); slices.Contains(set, o.Value) {
			chosen = append(chosen, opt)
		}
	}
	el := slack.NewOptionsMultiSelectBlockElement(slack.MultiOptTypeStatic, nil, formAction, opts...)
	el.InitialOptions = chosen
	return el
}

// peopleInput is Slack's multi-select menu of people.
func peopleInput(in bot.Input) *slack.MultiSelectBlockElement {
	el := slack.NewOptionsMultiSelectBlockElement(slack.MultiOptTypeUser, nil, formAction)
	el.InitialUsers = in.Values()
	return el
}

// plainText returns a plain text object; Slack rejects empty ones, so fallback replaces empty
// text.
func plainText(s, fallback string, limit int) *slack.TextBlockObject {
	s = markdown.Literal(cmp.Or(strings.TrimSpace(s), fallback, " "))
	return slack.NewTextBlockObject(slack.PlainTextType, Clip(s, limit), false, false)
}

// FormValues reads the values of a submitted form by field.
func FormValues(state payload.Object) map[string]string {
	out := make(map[string]string, len(state))
	for block := range state {
		for action := range state.Obj(block) {
			el := state.Obj(block).Obj(action)
			out[block] = cmp.Or(el.Str("value"), el.Obj("selected_option").Str("value"))
			var several []string
			for _, o := range el.List("selected_options") {
				several = append(several, o.Str("value"))
			}
			several = append(several, el.Strs("selected_users")...)
			if len(several) > 0 {
				out[block] = strings.Join(several, ", ")
			}
		}
	}
	return out
}
