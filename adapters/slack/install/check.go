package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/slack-go/slack"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// checksAtOnce bounds the concurrent checks of workspaces.
const checksAtOnce = 8

// Check verifies every workspace's token with Slack and lists the served workspaces. An
// ErrLimited names the workspaces that must reinstall the app.
func (r *Registry) Check(ctx context.Context) (string, error) {
	rows, err := r.cfg.Installations.Installations(ctx, payload.Platform)
	if err != nil {
		return "", err
	}
	var served, broken []string
	if r.fixed != nil {
		id, err := r.fixed.Client().AskWho(ctx)
		if err != nil {
			return "", fmt.Errorf("slack: auth.test: %w", web.Delivery("auth.test", err))
		}
		served = append(served, id.Team)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, checksAtOnce)
	for _, row := range rows {
		if row.Covered() || row.State != bot.InstallActive && row.State != bot.InstallBroken {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			fault := r.checkRow(ctx, row)
			mu.Lock()
			defer mu.Unlock()
			if fault != "" {
				broken = append(broken, row.Team+" ("+fault+")")
				return
			}
			served = append(served, row.Team)
		})
	}
	all.Wait()
	slices.Sort(served)
	slices.Sort(broken)
	who := fmt.Sprintf("an app in %d workspaces", len(served))
	if len(served) == 1 {
		who = "an app in 1 workspace"
	}
	if len(served) > 0 {
		who += ": " + strings.Join(served, ", ")
	}
	if len(broken) > 0 {
		return who, fmt.Errorf("%w: the app must be installed again in %s", bot.ErrLimited, strings.Join(broken, ", "))
	}
	return who, nil
}

// checkRow describes the fault of an installation's token, "" if it has none. An expired
// token is not a fault: it is renewed when needed.
func (r *Registry) checkRow(ctx context.Context, row bot.Installation) string {
	tok, _, err := r.vault.unseal(row)
	switch {
	case errors.Is(err, errSealKey):
		return "its key is not in MARU_SECRET_KEY"
	case err != nil:
		return "its token cannot be opened"
	}
	if code := r.unrenewed(row.Team); code != "" {
		return "its token is not renewed: " + code
	}
	api := slack.New(tok.Token, slack.OptionAPIURL(r.cfg.Base.String()), slack.OptionHTTPClient(r.cfg.HTTPClient))
	_, err = api.AuthTestContext(ctx)
	if err == nil || web.Code(err) == "token_expired" && tok.Refresh != "" {
		return ""
	}
	return cmp.Or(web.Code(err), "network")
}
