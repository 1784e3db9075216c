package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"maru/bot"
)

// Classes maps Slack's error codes, as documented for the methods used here, to the bot's
// error classes. The bot treats an unlisted code as a permanent failure.
var Classes = map[string]error{
	"channel_not_found": bot.ErrGone, "is_archived": bot.ErrGone, "message_not_found": bot.ErrGone,
	"thread_not_found": bot.ErrGone, "cannot_reply_to_message": bot.ErrGone, "channel_is_archived": bot.ErrGone,
	"is_inactive": bot.ErrGone, "invalid_channel": bot.ErrGone, "invalid_thread_ts": bot.ErrGone, "file_not_found": bot.ErrGone,
	"file_deleted": bot.ErrGone, "expired_trigger_id": bot.ErrGone, "exchanged_trigger_id": bot.ErrGone, "invalid_trigger_id": bot.ErrGone,

	"cant_update_message": bot.ErrTooOld, "edit_window_closed": bot.ErrTooOld, "cant_delete_message": bot.ErrTooOld,

	"not_in_channel": bot.ErrForbidden, "account_inactive": bot.ErrForbidden, "token_revoked": bot.ErrForbidden,
	"token_expired": bot.ErrForbidden, "invalid_auth": bot.ErrForbidden, "not_authed": bot.ErrForbidden,
	"no_permission": bot.ErrForbidden, "missing_scope": bot.ErrForbidden, "not_allowed_token_type": bot.ErrForbidden,
	"ekm_access_denied": bot.ErrForbidden, "access_denied": bot.ErrForbidden,
	"restricted_action": bot.ErrForbidden, "restricted_action_read_only_channel": bot.ErrForbidden,
	"restricted_action_thread_only_channel": bot.ErrForbidden, "restricted_action_non_threadable_channel": bot.ErrForbidden,
	"restricted_action_thread_locked": bot.ErrForbidden, "messages_tab_disabled": bot.ErrForbidden, "user_not_in_channel": bot.ErrForbidden, "cannot_dm_bot": bot.ErrForbidden,
	"file_uploads_disabled": bot.ErrForbidden, "file_uploads_except_images_disabled": bot.ErrForbidden,
	"file_type_not_allowed": bot.ErrForbidden, "file_upload_size_restricted": bot.ErrForbidden,
	"posting_to_channel_denied": bot.ErrForbidden, "as_user_not_supported": bot.ErrForbidden, "team_not_found": bot.ErrForbidden,
	"channel_type_not_supported": bot.ErrForbidden, "method_not_supported_for_channel_type": bot.ErrForbidden,
	"channel_is_limited_access": bot.ErrForbidden, "user_not_visible": bot.ErrForbidden, "user_disabled": bot.ErrForbidden,
	"not_visible": bot.ErrForbidden, "storage_limit_reached": bot.ErrForbidden, "blocked_file_type": bot.ErrForbidden,
	"slack_connect_blocked_file_type": bot.ErrForbidden, "slack_connect_file_upload_sharing_blocked": bot.ErrForbidden,
	"slack_connect_file_link_sharing_blocked": bot.ErrForbidden, "slack_connect_canvas_sharing_blocked": bot.ErrForbidden,
	"slack_connect_lists_sharing_blocked": bot.ErrForbidden, "slack_connect_clip_sharing_blocked": bot.ErrForbidden,

	"ratelimited": bot.ErrUnavailable, "rate_limited": bot.ErrUnavailable, "internal_error": bot.ErrUnavailable,
	"fatal_error": bot.ErrUnavailable, "service_unavailable": bot.ErrUnavailable, "request_timeout": bot.ErrUnavailable,
	"accesslimited": bot.ErrUnavailable, "team_added_to_org": bot.ErrUnavailable, "message_limit_exceeded": bot.ErrUnavailable,
	"external_channel_migrating": bot.ErrUnavailable, "update_failed": bot.ErrUnavailable, "file_update_failed": bot.ErrUnavailable,
	"messaging_processing_failed": bot.ErrUnavailable, "unable_to_share_files": bot.ErrUnavailable, "streaming_state_conflict": bot.ErrUnavailable,
	"fetch_members_failed": bot.ErrUnavailable, "team_access_not_granted": bot.ErrUnavailable, "org_login_required": bot.ErrUnavailable,
}

// Delivery wraps an error of op in a *bot.DeliveryError. It contains Slack's code, never a
// URL, a token or a message's text.
func Delivery(op string, err error) error {
	var done *bot.DeliveryError
	if err == nil || errors.As(err, &done) {
		return err
	}
	if ctxErr := ContextError(err); ctxErr != nil {
		return &bot.DeliveryError{Op: op, Err: ctxErr}
	}
	code := Code(err)
	class, known := Classes[code]
	switch {
	case known:
	case code != "":
		class = errors.New("slack refused it")
	default:
		code, class = "network", bot.ErrUnavailable
	}
	return &bot.DeliveryError{Op: op, Code: code, After: RetryAfter(err), Err: class}
}

// ContextError returns the bare context error if err is one of the caller's.
func ContextError(err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	return nil
}

// Code returns Slack's code for an error, "" for a network error.
func Code(err error) string {
	var limited *slack.RateLimitedError
	var answer slack.SlackErrorResponse
	var status slack.StatusCodeError
	switch {
	case errors.As(err, &limited):
		return "ratelimited"
	case errors.As(err, &answer):
		return answer.Err
	case errors.As(err, &status) && status.Code >= http.StatusInternalServerError:
		return "service_unavailable"
	case errors.As(err, &status) && status.Code == http.StatusTooManyRequests:
		return "ratelimited"
	case errors.As(err, &status):
		return "http_" + http.StatusText(status.Code)
	}
	return ""
}

// RetryAfter returns Slack's Retry-After delay, 0 if there is none.
func RetryAfter(err error) time.Duration {
	var limited *slack.RateLimitedError
	if errors.As(err, &limited) {
		return max(limited.RetryAfter, time.Second)
	}
	var status slack.StatusCodeError
	if errors.As(err, &status) && status.Code == http.StatusTooManyRequests {
		return time.Second
	}
	return 0
}

// TokenRefused reports whether retrying with the same token is useless.
func TokenRefused(err error) bool {
	switch Code(err) {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
		"not_allowed_token_type", "missing_scope", "no_permission":
		return true
	}
	return false
}

// withheld reports whether Slack temporarily denies the app access to the workspace, as while
// an organisation takes over the app or workspace. If that persists, Slack sends no events
// from there either, and an answer waits as for any outage.
func withheld(code string) bool {
	return code == "team_access_not_granted" || code == "org_login_required"
}

// Closed reports whether a channel accepts no messages at all.
func Closed(err error) bool {
	var d *bot.DeliveryError
	if !errors.As(err, &d) {
		return false
	}
	switch d.Code {
	case "not_in_channel", "channel_not_found", "is_archived", "channel_is_archived", "posting_to_channel_denied",
		"no_permission",           // also for an app that is not a member
		"cannot_reply_to_message": // the message takes no replies
		return true
	}
	return strings.HasPrefix(d.Code, "restricted_action")
}

// Ambiguous reports whether a failed request may have taken effect, so that posting again
// could duplicate it.
func Ambiguous(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	switch Code(err) {
	case "internal_error", "fatal_error", "service_unavailable", "request_timeout",
		"messaging_processing_failed", "update_failed", "file_update_failed", "unable_to_share_files":
		return true
	case "":
		var op *net.OpError
		return !errors.As(err, &op) || op.Op != "dial" // a failed dial sent nothing
	}
	return false
}

// RefusedBlocks reports whether Slack rejected a message's blocks, so that a plainer one may
// pass.
func RefusedBlocks(err error) bool {
	code := Code(err)
	switch code {
	case "msg_too_long", "msg_blocks_too_long", "msg_blocks_too_many", "too_many_attachments", "invalid_arguments",
		"invalid_metadata_format", "no_text", "block_mismatch":
		return true
	}
	return strings.HasPrefix(code, "invalid_blocks")
}
