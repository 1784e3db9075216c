// Package interact handles interactions: slash commands (command.go), the menu of a
// message (menu.go), clicks and forms (interaction.go), and values that are offered
// while somebody types. They come through the gateway, or signed over HTTP (http.go).
// A [Registrar] tells Discord which commands there are (register.go).
//
// Each interaction is handled once and answered once, whichever way it came and
// however often. Discord waits for three seconds and then shows a failure: a first
// answer is sent within two, whatever the bot does. What cannot be said in its place
// any more is said as a direct message, and a form that came to nothing is kept for
// who filled it in (draft.go).
//
// Who may decide is the bot's to say: the package passes on who acted, as Discord
// verified them, and the opaque id of what they clicked.
package interact
