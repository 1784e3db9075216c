package main

import (
	"context"
	"strings"

	"maru/bot"
)

// warnAdmins tells the operator that somebody in MARU_ADMINS is an admin of
// several Discord servers at once: an id names the same person in all of them.
// For Slack, whose ids mean different people in different workspaces, the
// settings refuse it.
func (a *app) warnAdmins(ctx context.Context) {
	bare := 0
	for _, who := range a.cfg.Place.Admins {
		if who != "" && strings.Trim(who, "0123456789") == "" {
			bare++
		}
	}
	if bare == 0 {
		return
	}
	rows, err := a.record.Installations(ctx, "discord")
	if err != nil {
		a.log.WarnContext(ctx, "MARU_ADMINS cannot be compared with the Discord servers", "err", err)
		return
	}
	guilds := 0
	for _, row := range rows {
		if row.State == bot.InstallActive {
			guilds++
		}
	}
	if guilds > 1 {
		a.log.WarnContext(ctx, "MARU_ADMINS: a Discord id without its server holds in every server; write discord/SERVER/USER for one of them",
			"ids", bare, "servers", guilds)
	}
}
