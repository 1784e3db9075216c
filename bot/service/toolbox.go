package service

import (
	"context"

	"maru/bot"
	"maru/bot/command"
)

// noTools is the toolbox of a program without any.
type noTools struct{}

func (noTools) Tools([]string) []command.ToolInfo            { return nil }
func (noTools) Servers() []command.ToolServer                { return nil }
func (noTools) Accept(context.Context, string, string) error { return bot.ErrNotFound }
