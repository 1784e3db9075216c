package audience

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/shared"
)

// People is the admins' table of e-mail addresses of people whose platform provides none. A row is deleted with
// its person or workspace.
type People struct {
	record bot.Notes
	now    func() time.Time
}

// Person is a row of the table.
type Person struct{ ID, Mail string }

// mailKey ends with the person, as required by [bot.Persons].
func mailKey(t bot.Thread, id string) string {
	return bot.Esc(t.Platform) + "/mail/" + bot.Esc(t.Team) + "/" + bot.Esc(id)
}

// listKey returns the key of the IDs of a workspace's rows.
func listKey(t bot.Thread) string { return "mails/" + t.TeamKey() + "/list" }

// Mail returns the address of a person in the workspace of t, "" if they have none.
func (p *People) Mail(ctx context.Context, t bot.Thread, id string) (string, error) {
	mail, err := p.record.Note(ctx, mailKey(t, id))
	if err != nil {
		return "", fmt.Errorf("read the address of a person: %w", err)
	}
	return mail, nil
}

// Set assigns an address to a person; "" removes it.
func (p *People) Set(ctx context.Context, t bot.Thread, id, mail string) error {
	if mail == "" {
		if err := p.record.SetNote(ctx, mailKey(t, id), ""); err != nil {
			return fmt.Errorf("remove the address of a person: %w", err)
		}
	}
	err := shared.Amend(ctx, p.record, listKey(t), func(was string) (string, error) {
		ids, err := idsIn(was)
		if err != nil {
			return "", err
		}
		if mail == "" {
			ids = slices.DeleteFunc(ids, func(s string) bool { return s == id })
		} else if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		data, err := json.Marshal(ids)
		return string(data), err
	})
	if err == nil && mail != "" { // last: a row that counts is listed
		err = p.record.SetNote(ctx, mailKey(t, id), mail)
	}
	if err != nil {
		return fmt.Errorf("store the address of a person: %w", err)
	}
	return nil
}

// List returns the rows of the workspace of t.
func (p *People) List(ctx context.Context, t bot.Thread) ([]Person, error) {
	ids, err := p.ids(ctx, t)
	if err != nil {
		return nil, err
	}
	var out []Person
	for _, id := range ids {
		mail, err := p.Mail(ctx, t, id)
		if err != nil {
			return nil, err
		}
		if mail != "" {
			out = append(out, Person{id, mail})
		}
	}
	return out, nil
}

func (p *People) ids(ctx context.Context, t bot.Thread) ([]string, error) {
	text, err := p.record.Note(ctx, listKey(t))
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	return idsIn(text)
}

// idsIn reads the list of a workspace's rows.
func idsIn(text string) (ids []string, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &ids)
	}
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	return ids, nil
}
