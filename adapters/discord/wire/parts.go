package wire

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"maru/bot/content"
)

// previews are the types of embeds that Discord makes of links.
var previews = []string{"image", "video", "gifv", "article", "link"}

// embedResult is the type of the embed with which Discord announces the result of a poll.
const embedResult = "poll_result"

type embed struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Author      struct {
		Name string `json:"name"`
	} `json:"author"`
	Fields []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
	Footer struct {
		Text string `json:"text"`
	} `json:"footer"`
	Image *struct {
		Description string `json:"description"`
	} `json:"image"`
	Timestamp *time.Time `json:"timestamp"` // beside the footer
}

type sticker struct {
	Name string `json:"name"`
}

type media struct {
	Text  string `json:"text"`
	Emoji struct {
		Name string `json:"name"`
	} `json:"emoji"`
}

type poll struct {
	Question media `json:"question"`
	Answers  []struct {
		ID    int   `json:"answer_id"`
		Media media `json:"poll_media"`
	} `json:"answers"`
	Expiry  *time.Time `json:"expiry"`
	Several bool       `json:"allow_multiselect"`
	Results *struct {
		Final  bool `json:"is_finalized"`
		Counts []struct {
			ID    int `json:"id"`
			Count int `json:"count"`
		} `json:"answer_counts"`
	} `json:"results"`
}

// embedRich is the type of embeds that apps write, and that Discord makes of links to some sites.
const embedRich = "rich"

// parts reads the contents of a message beyond its text, in Discord's encoding.
func parts(embeds []embed, p *poll, stickers []sticker) []content.Part {
	var out []content.Part
	for _, e := range embeds {
		switch {
		case e.Type == embedResult:
			out = append(out, e.result())
		case !slices.Contains(previews, e.Type):
			out = append(out, content.Legible(e.part()))
		}
	}
	if p != nil {
		out = append(out, p.part())
	}
	for _, s := range stickers {
		out = append(out, content.Part{Kind: content.Sticker, Text: s.Name})
	}
	return out
}

func (e embed) part() content.Part {
	c := content.Part{Kind: content.Card, Title: e.Title, Link: e.URL, Author: e.Author.Name, Text: e.Description, Footer: e.Footer.Text}
	if e.Timestamp != nil {
		c.Footer = joined(c.Footer, content.Moment(*e.Timestamp), " · ")
	}
	for _, f := range e.Fields {
		c.Fields = append(c.Fields, content.Field{Name: f.Name, Value: f.Value})
	}
	if e.Image != nil {
		c.Parts = append(c.Parts, content.Part{Kind: content.Picture, Text: e.Image.Description})
	}
	return c
}

// result returns the result of a poll, with its winner alone.
func (e embed) result() content.Part {
	said := map[string]string{}
	for _, f := range e.Fields {
		said[f.Name] = f.Value
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(said[name]) // 0: not told
		return n
	}
	question := said["poll_question_text"]
	out := content.Part{Kind: content.Poll, Title: question, Ended: true, Votes: number("total_votes")}
	if winner := cmp.Or(said["victor_answer_text"], said["victor_answer_emoji_name"]); winner != "" {
		out.Options = []content.Option{{Text: winner, Votes: number("victor_answer_votes")}}
	}
	return out
}

func (p *poll) part() content.Part {
	out := content.Part{Kind: content.Poll, Title: p.Question.Text, Several: p.Several, Ended: p.Results != nil && p.Results.Final}
	for _, a := range p.Answers {
		o := content.Option{Text: cmp.Or(a.Media.Text, a.Media.Emoji.Name), Votes: -1}
		if p.Results != nil { // an answer without votes is not among them
			o.Votes = 0
			for _, c := range p.Results.Counts {
				if c.ID == a.ID {
					o.Votes = c.Count
				}
			}
		}
		out.Options = append(out.Options, o)
	}
	if p.Expiry != nil {
		out.Until = *p.Expiry
	}
	return out
}
