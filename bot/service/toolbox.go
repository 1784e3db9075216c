package service

import (
	"context"

	"maru/bot"
)

// noTools is the toolbox of a program without any.
type noTools struct{}

func (noTools) Tools([]string) []bot.ToolInfo                { return nil }
func (noTools) Servers() []bot.ToolServer                    { return nil }
func (noTools) Accept(context.Context, string, string) error { return bot.ErrNotFound }
