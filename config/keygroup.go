package config

// KeyGroup is keys that belong together on a form: never more than [GroupSize].
type KeyGroup struct {
	Name string
	Keys []string
}

// GroupSize is the maximum number of keys in a group: the limit of the smallest platform form.
const GroupSize = 5

// KeyGroups returns every key once, in the order in which forms ask for them.
func KeyGroups() []KeyGroup {
	return []KeyGroup{
		{"answers", []string{"agent", "language", "persona", "prompts"}},
		{"speaking", []string{"engage", "quiet_hours", "while_busy", "on_edit"}},
		{"schedules", []string{"time_zone", "schedules_person", "schedules_channel"}},
		{"looks", []string{"reply_in_thread", "react", "feedback", "note_offers"}},
		{"thinking", []string{"model", "temperature", "run_calls", "run_tokens", "run_cost"}},
		{"limits", []string{"daily_tokens", "daily_cost", "person_calls", "person_tokens", "person_cost"}},
		{"sources", []string{"doc_scopes", "doc_tags", "tools_off", "tools_ask"}},
		{"asking", []string{"hitl", "approve_clarification", "approve_plan", "approve_step", "auto_steps"}},
		{"deciding", []string{"approvers", "two_people", "approval_expires", "approval_reminder"}},
		{"keeping", []string{"memory", "memory_share", "retention", "guests", "on_leave"}},
	}
}

// GroupOf returns the name of a key's group, "" for a key that there is not.
func GroupOf(key string) string {
	for _, g := range KeyGroups() {
		for _, k := range g.Keys {
			if k == key {
				return g.Name
			}
		}
	}
	return ""
}
