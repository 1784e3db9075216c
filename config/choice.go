package config

// The values of the settings "language", beside those that there is a catalogue
// of (see [phrase.Languages]), and "engage".
const (
	LanguageAuto = "auto"

	EngageMention = "mention" // only when it is spoken to
	EngageFollow  = "follow"  // and in threads it takes part in
	EngageAlways  = "always"  // every message
	// EngageDocuments is EngageFollow, and questions to the whole channel that its documents answer.
	EngageDocuments = "documents"
	EngageNever     = "never"

	GuestsNone   = "none"   // guests and people of other workspaces are not answered
	GuestsChat   = "chat"   // they may ask, and read public documents
	GuestsMember = "member" // they are as members are, in this place

	LeaveKeep  = "keep"  // a workspace's data stays after it uninstalls the bot
	LeavePurge = "purge" // it is removed; the audit log stays
)

// The values of the setting "while_busy": the effect of a message that arrives while a run works in its thread.
const (
	BusyQueue     = "queue"     // it waits for its turn
	BusyReject    = "reject"    // it is not taken
	BusyInterrupt = "interrupt" // the run stops, its effects stay
	BusyRollback  = "rollback"  // the run stops and is forgotten
)

// The values of the setting "on_edit": the effect of an edited question.
const (
	EditRestart = "restart" // a run that answers it begins again with the new words
	EditAgain   = "again"   // and one that was answered is answered again
	EditKeep    = "keep"    // a run answers the original question
)

// The values of the setting "doc_scopes": which documents are searched, of those
// that may be read.
const (
	ScopePublic    = "public"    // for everybody, such as the handbook
	ScopeChannel   = "channel"   // of this channel
	ScopeWorkspace = "workspace" // of every member
)
