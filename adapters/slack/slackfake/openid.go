package slackfake

import "maru/adapters/web/signin/oidcfake"

// signsIn serves "Sign in with Slack" beside the Web API.
func (s *Server) signsIn() {
	s.openid = oidcfake.New(oidcfake.Config{
		Issuer: s.base, Authorize: "/openid/connect/authorize", Token: "/api/openid.connect.token", Keys: "/openid/connect/keys",
		Info: "/api/openid.connect.userInfo", Way: "slack", NoPKCE: true,
	})
	for _, path := range []string{"/.well-known/", "/openid/", "/api/openid.connect.token", "/api/openid.connect.userInfo"} {
		s.mux.Handle(path, s.openid)
	}
}

// Browse makes a person sign in to Slack in the browser that the console redirects.
func (s *Server) Browse(user string) {
	s.openid.Become(oidcfake.Account{Subject: user, Claims: map[string]any{
		"https://slack.com/team_id": s.opt.Team, "https://slack.com/user_id": user, "name": user,
	}})
}

// SignIns lists the reasons why sign-ins with Slack were refused.
func (s *Server) SignIns() []string { return s.openid.Refused() }
