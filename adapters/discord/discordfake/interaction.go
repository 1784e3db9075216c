package discordfake

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Interaction is a command, a click or a form.
type Interaction struct {
	ID, Token string
	User      string
	Sent      time.Time
	Answered  time.Time      // time of the first answer; zero if none
	Kind      int            // of the first answer
	Data      map[string]any // of the first answer
	Original  *Message       // its present answer; nil if none or deleted
	FollowUps []Message
	Expired   bool // its token is dead

	typ       int  // of the interaction
	onMessage bool // from a message's control
}

// Payload is an encoded interaction, ready for Deliver or Post.
type Payload struct {
	Interaction string // token
	Body        map[string]any
}

// Slash gives "/command sub" with options as a person.
func (f *Fake) Slash(user, channel, command, sub string, options map[string]string) string {
	var opts []any
	for k, v := range options {
		opts = append(opts, map[string]any{"name": k, "type": 3, "value": v})
	}
	data := map[string]any{"id": "1", "name": command, "type": 1}
	if sub != "" {
		data["options"] = []any{map[string]any{"name": sub, "type": 1, "options": opts}}
	}
	return f.Deliver(f.NewInteraction(user, channel, 2, data, ""))
}

// Complete requests the autocompletion of an option of "/command sub"; others are the values of the other options.
func (f *Fake) Complete(user, channel, command, sub, option, typed string, others map[string]string) string {
	opts := []any{map[string]any{"name": option, "type": 3, "value": typed, "focused": true}}
	for k, v := range others {
		opts = append(opts, map[string]any{"name": k, "type": 3, "value": v})
	}
	data := map[string]any{"id": "1", "name": command, "type": 1, "options": []any{map[string]any{"name": sub, "type": 1, "options": opts}}}
	return f.Deliver(f.NewInteraction(user, channel, 4, data, ""))
}

// Menu uses an entry of a message's menu.
func (f *Fake) Menu(user, channel, message, name string) string {
	data := map[string]any{"id": "2", "name": name, "type": 3, "target_id": message}
	f.mu.Lock()
	if m := f.find(message); m != nil {
		data["resolved"] = map[string]any{"messages": map[string]any{message: f.messageJSON(m, false)}}
	}
	f.mu.Unlock()
	return f.Deliver(f.NewInteraction(user, channel, 2, data, ""))
}

// Click presses the button with this custom id on a message.
func (f *Fake) Click(user, channel, message, customID string) string {
	return f.Deliver(f.NewInteraction(user, channel, 3, map[string]any{"custom_id": customID, "component_type": 2}, message))
}

// Choose picks an option of the list with this custom id on a message.
func (f *Fake) Choose(user, channel, message, customID, value string) string {
	return f.Deliver(f.NewInteraction(user, channel, 3, map[string]any{"custom_id": customID, "component_type": 3, "values": []any{value}}, message))
}

// Submit fills in a form that an interaction opened: its own controls as Discord
// sends them, a list's choice among its options alone, several of them between commas.
func (f *Fake) Submit(user, channel, customID string, values map[string]string) string {
	return f.SubmitOn(user, channel, customID, "", values)
}

// SubmitOn is Submit for a form opened by a message's control.
func (f *Fake) SubmitOn(user, channel, customID, message string, values map[string]string) string {
	lists, pickers := f.lists(customID)
	var components []any
	for k, v := range values {
		field := map[string]any{"type": 4, "id": 2, "custom_id": k, "value": v}
		if options, ok := lists[k]; ok {
			chosen := []any{}
			for one := range strings.SplitSeq(v, ",") {
				if one = strings.TrimSpace(one); one == "" {
					continue
				}
				if !slices.Contains(options, one) {
					panic(fmt.Sprintf("discordfake: nobody can choose %q from the list %s of %v", one, k, options))
				}
				chosen = append(chosen, one)
			}
			field = map[string]any{"type": 3, "id": 2, "custom_id": k, "values": chosen}
		}
		if slices.Contains(pickers, k) {
			chosen := []any{}
			for _, one := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' }) {
				chosen = append(chosen, one)
			}
			field = map[string]any{"type": 7, "id": 2, "custom_id": k, "values": chosen}
		}
		components = append(components, map[string]any{"type": 18, "id": 1, "component": field})
	}
	return f.Deliver(f.NewInteraction(user, channel, 5, map[string]any{"custom_id": customID, "components": components}, message))
}

// lists returns the options of the select menus in an opened form, and the names of its user menus.
func (f *Fake) lists(customID string) (options map[string][]string, pickers []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string][]string{}
	for _, i := range f.interactions {
		if i.Kind != 9 || i.Data["custom_id"] != customID {
			continue
		}
		labels, _ := i.Data["components"].([]any)
		for _, l := range labels {
			label, _ := l.(map[string]any)
			el, _ := label["component"].(map[string]any)
			id, _ := el["custom_id"].(string)
			if el["type"] == 7.0 {
				pickers = append(pickers, id)
			}
			choices, _ := el["options"].([]any)
			for _, o := range choices {
				option, _ := o.(map[string]any)
				value, _ := option["value"].(string)
				out[id] = append(out[id], value)
			}
		}
	}
	return out, pickers
}

// NewInteraction creates an interaction without sending it.
func (f *Fake) NewInteraction(user, channel string, kind int, data map[string]any, message string) Payload {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := &Interaction{ID: f.id(), User: user, Sent: f.now(), typ: kind, onMessage: message != ""}
	i.Token = "token-of-" + i.ID
	f.interactions[i.Token] = i
	u := f.users[user]
	body := map[string]any{
		"id": i.ID, "application_id": f.appID, "type": kind, "token": i.Token, "version": 1, "data": data,
		"channel_id": channel, "locale": u.Locale, "entitlements": []any{}, "authorizing_integration_owners": map[string]any{},
	}
	c := f.channels[channel]
	if c != nil {
		body["channel"] = f.channelJSON(c)
	}
	if c != nil && c.Guild != "" {
		m := f.memberJSON(u)
		m["user"] = f.userJSON(u)
		m["permissions"] = "104324673"
		if slices.Contains(u.Roles, "9"+f.Guild[1:]) {
			m["permissions"] = "104324705"
		}
		body["member"], body["guild_id"], body["guild_locale"], body["context"] = m, c.Guild, "ko", 0
	} else {
		body["user"], body["context"] = f.userJSON(u), 1
	}
	if m := f.find(message); m != nil {
		seen := *m
		if seen.Ephemeral {
			seen.Channel = channel
		}
		body["message"] = f.messageJSON(&seen, false)
	}
	return Payload{Interaction: i.Token, Body: body}
}

// Deliver sends an interaction through the gateway and returns its token.
func (f *Fake) Deliver(p Payload) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	guild, _ := p.Body["guild_id"].(string)
	f.dispatchIn(guild, "INTERACTION_CREATE", p.Body)
	return p.Interaction
}

// Post sends a signed interaction to the bot's HTTP endpoint, and applies the answer.
func (f *Fake) Post(ctx context.Context, endpoint string, p Payload) (*http.Response, error) {
	raw, err := json.Marshal(p.Body)
	if err != nil {
		return nil, err
	}
	stamp := strconv.FormatInt(f.now().Unix(), 10)
	resp, err := f.PostRaw(ctx, endpoint, raw, stamp, f.Sign(stamp, raw))
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	var body map[string]any
	if resp.StatusCode == http.StatusOK && json.Unmarshal(answer, &body) == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if i := f.interactions[p.Interaction]; i != nil && i.Answered.IsZero() {
			if why := i.misfit(body); why != "" {
				f.violate("POST %s: %s", endpoint, why)
			}
			f.accept(i, body)
			f.notify()
		}
	}
	return resp, nil
}

// PostRaw sends any bytes with any signature.
func (f *Fake) PostRaw(ctx context.Context, endpoint string, raw []byte, stamp, signature string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signature-Timestamp", stamp)
	req.Header.Set("X-Signature-Ed25519", signature)
	return http.DefaultClient.Do(req)
}

// Sign signs a body as Discord does.
func (f *Fake) Sign(stamp string, body []byte) string {
	return hex.EncodeToString(ed25519.Sign(f.secret, append([]byte(stamp), body...)))
}

// Interaction returns an interaction's state.
func (f *Fake) Interaction(token string) Interaction {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := *f.interactions[token]
	if i.Original != nil {
		m := *i.Original
		i.Original = &m
	}
	i.FollowUps = slices.Clone(i.FollowUps)
	return i
}

// Expire expires an interaction's token, as after 15 minutes.
func (f *Fake) Expire(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.interactions[token].Expired = true
}
