package site

import "net/http"

// team adds the pages on a team's set-up: schedules, sources, tools, memory and people.
func (s *Site) team(out map[string]http.HandlerFunc) {
	if d, ok := s.desk.(Schedules); ok {
		out["GET /schedules"] = func(w http.ResponseWriter, r *http.Request) { s.schedules(w, r, d, "", "") }
		out["POST /schedules"] = func(w http.ResponseWriter, r *http.Request) { s.changeSchedule(w, r, d) }
	}
	if d, ok := s.desk.(Sources); ok {
		out["GET /sources"] = func(w http.ResponseWriter, r *http.Request) { s.sources(w, r, d, "") }
		out["POST /sources"] = func(w http.ResponseWriter, r *http.Request) { s.changeSource(w, r, d) }
	}
	if d, ok := s.desk.(Tools); ok {
		out["GET /tools"] = func(w http.ResponseWriter, r *http.Request) { s.tools(w, r, d, toolsPage{}) }
		out["POST /tools"] = func(w http.ResponseWriter, r *http.Request) { s.changeTools(w, r, d) }
	}
	if d, ok := s.desk.(Memory); ok {
		out["GET /memory"] = func(w http.ResponseWriter, r *http.Request) { s.memory(w, r, d, "") }
		out["POST /memory"] = func(w http.ResponseWriter, r *http.Request) { s.forget(w, r, d) }
	}
	if d, ok := s.desk.(People); ok {
		out["GET /people"] = func(w http.ResponseWriter, r *http.Request) { s.people(w, r, d, "") }
		out["POST /people"] = func(w http.ResponseWriter, r *http.Request) { s.changePerson(w, r, d) }
	}
}
