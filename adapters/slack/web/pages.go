package web

import (
	"context"
	"net/url"
	"strconv"

	"maru/adapters/slack/payload"
	"maru/bot"
)

const (
	pageSize = 200
	MaxPages = 10
)

// Pages reads a thread, or the channel for a thread without ID, page by page.
func (w *Client) Pages(ctx context.Context, th bot.Thread, channel string, v url.Values, each func(payload.Object)) error {
	for range MaxPages {
		page, next, err := w.Page(ctx, th, channel, v)
		if err != nil {
			return err
		}
		for _, m := range page {
			each(m)
		}
		if next == "" {
			return nil
		}
		v.Set("cursor", next)
	}
	return nil
}

// Page reads one page of a thread, or of the channel for a thread without ID: a thread oldest
// first, a channel newest first, whatever the range.
func (w *Client) Page(ctx context.Context, th bot.Thread, channel string, v url.Values) (list []payload.Object, next string, err error) {
	method := "conversations.history"
	v.Set("channel", channel)
	if v.Get("limit") == "" {
		v.Set("limit", strconv.Itoa(pageSize))
	}
	if th.ID != "" {
		method = "conversations.replies"
		v.Set("ts", th.ID)
	}
	for k := range v {
		if v.Get(k) == "" {
			v.Del(k)
		}
	}
	var page struct {
		Messages []payload.Object `json:"messages"`
		Meta     struct {
			Next string `json:"next_cursor"`
		} `json:"response_metadata"`
	}
	err = w.Again(ctx, Job{Method: method, Channel: channel, Urgent: true}, func(ctx context.Context) error {
		return w.Call(ctx, method, v, &page)
	})
	return page.Messages, page.Meta.Next, err
}
