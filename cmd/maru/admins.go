package main

import (
	"context"
	"fmt"
	"strings"

	"maru/bot"
)

// warnAdmins tells the operator what looseAdmins finds.
func (a *app) warnAdmins(ctx context.Context) {
	ids, servers, err := a.looseAdmins(ctx)
	switch {
	case err != nil:
		a.log.WarnContext(ctx, "MARU_ADMINS cannot be compared with the Discord servers", "err", err)
	case ids > 0:
		a.log.WarnContext(ctx, "MARU_ADMINS: a Discord id without its server holds in every server; write discord/SERVER/USER for one of them",
			"ids", ids, "servers", servers)
	}
}

// looseAdmins counts those of MARU_ADMINS who are admins of several Discord
// servers at once, and these servers: an id names the same person in all of them.
// For Slack, whose ids mean different people in different workspaces, the
// settings refuse it.
func (a *app) looseAdmins(ctx context.Context) (ids, servers int, err error) {
	for _, who := range a.cfg.Place.Admins {
		if who != "" && strings.Trim(who, "0123456789") == "" {
			ids++
		}
	}
	if ids == 0 {
		return 0, 0, nil
	}
	rows, err := a.record.Installations(ctx, "discord")
	if err != nil {
		return 0, 0, err
	}
	for _, row := range rows {
		if row.State == bot.InstallActive {
			servers++
		}
	}
	if servers < 2 {
		return 0, servers, nil
	}
	return ids, servers, nil
}

// examineAdmins is the same for `/maru doctor`: servers come after the start.
func (a *app) examineAdmins(ctx context.Context) []bot.Finding {
	ids, servers, err := a.looseAdmins(ctx)
	if err == nil && ids == 0 {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: %d Discord ids hold in all %d servers; write discord/SERVER/USER for one of them", bot.ErrLimited, ids, servers)
	}
	return []bot.Finding{{Part: "MARU_ADMINS", Err: err}}
}
