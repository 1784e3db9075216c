// Package interact handles interactions: slash commands (command.go), message menus
// (menu.go), clicks and forms (interaction.go), and autocompletion. They arrive over the
// gateway, or signed over HTTP (http.go). A [Registrar] registers the commands (register.go).
//
// Each interaction is handled once and answered once, whatever the transport and the number
// of deliveries. Discord shows a failure after three seconds, so the first answer is sent
// within two, even if the bot is not done. An answer that can no longer be shown in place
// goes out as a direct message, and a failed form is kept for its person (draft.go).
//
// The bot decides permissions: the package passes on the actor, as Discord verified them, and
// the opaque ID of the clicked element.
package interact
