// Package parking isolates poison items: an item that was being processed at two crashes without progress is
// parked until a person retries it.
//
// [Deaths] detects crashed processes by their unreleased leases, keeps a list of crashes for each item, and
// decides when to park. [Parked] lists parked items, for people and operators, and retries them.
//
// Its invariants:
//
//   - A graceful stop is not a crash: it releases its leases. Nor is a lost lease of a live process,
//     which revokes the recorded crash.
//   - An item is parked on evidence against it alone. Each crash with other items being processed, and
//     each crash without this item, requires another crash.
//   - A crash explains one parked item. Other items need crashes of their own, so a set of poison items
//     is parked one by one.
//   - A job needs more crashes than items do, since the items beside it are unknown.
//   - A step committed between two crashes clears the earlier ones: an item that makes progress is
//     a victim.
//   - Parking loses nothing: the item keeps its body, and its reply stays open for the next attempt.
//
// It must not know how an item is answered, or how a notice looks on a platform.
package parking
