package web

import (
	"net/http"

	"maru/adapters/web/site"
	"maru/bot"
)

// door handles requests for one bot.
type door struct {
	*Adapter
	in   bot.Intake
	desk Desk
	site *site.Site

	endings endings
}

// routes registers every path of the console.
func (a *Adapter) routes(in bot.Intake, desk Desk) http.Handler {
	d := &door{Adapter: a, in: in, desk: desk}
	mux := http.NewServeMux()
	d.site = site.New(frame{d}, desk, a.cfg.Now)
	for pattern, h := range d.site.Routes() {
		mux.HandleFunc(pattern, h)
	}
	for pattern, h := range map[string]http.HandlerFunc{
		// pages
		"GET /{$}":                     d.home,
		"GET /me":                      d.minePage,
		"GET /t/{thread}":              d.threadPage,
		"POST /t/{thread}":             d.postForm,
		"GET /documents":               d.documentsPage,
		"GET /passages/{chunk}":        d.passagePage,
		"GET /runs/compare":            d.comparePage,
		"GET /runs/{run}":              d.runPage,
		"GET /runs/{run}/files/{n}":    d.file,
		"GET /exports/{name}":          d.export,
		"GET /fragments/threads":       d.threadList,
		"GET /login":                   a.loginForm,
		"POST /login":                  a.login,
		"POST /logout":                 d.logout,
		"GET /signin/{way}":            entrance{d}.signIn,
		"GET /signin/{way}/callback":   entrance{d}.signedIn,
		"POST /signin/choose":          entrance{d}.choose,
		"POST /preferences":            a.preferences,
		"GET /assets/{version}/{file}": a.asset,
		"/":                            a.noPage,
		// API, also used by the script
		"GET /api/session":                                a.apiSession,
		"GET /api/threads":                                d.apiThreads,
		"GET /api/threads/{thread}":                       d.apiThread,
		"DELETE /api/threads/{thread}":                    d.apiForget,
		"POST /api/threads/{thread}/messages":             d.apiMessage,
		"DELETE /api/threads/{thread}/messages/{message}": d.apiWithdraw,
		"POST /api/threads/{thread}/stop":                 d.apiStop,
		"GET /api/threads/{thread}/events":                d.apiEvents,
		"GET /api/documents":                              d.apiDocuments,
		"POST /api/documents":                             d.apiUpload,
		"DELETE /api/documents/{document}":                d.apiRemove,
		"DELETE /api/refused/{file}":                      d.apiDismiss,
		"GET /api/passages/{chunk}":                       d.apiPassage,
		"GET /api/runs/{run}":                             d.apiRun,
		"GET /api/runs/{run}/files/{n}":                   d.file,
		"GET /api/exports/{name}":                         d.export,
		"POST /api/runs/{run}/approve":                    d.apiApprove,
		"GET /api/runs/{run}/events":                      d.apiFollow,
		"POST /api/actions/{action}":                      d.apiAction,
		"GET /api/commands":                               d.apiCommands,
	} {
		mux.HandleFunc(pattern, h)
	}
	return d.guard(mux)
}

func (a *Adapter) noPage(w http.ResponseWriter, r *http.Request) {
	a.refuse(w, r, refusal{http.StatusNotFound, "no_such_page"})
}
