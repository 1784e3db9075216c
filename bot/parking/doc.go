// Package parking lets rest what kills its process: an item that was in hand at two deaths without
// getting further is parked until somebody retries it.
//
// [Deaths] finds out who died from the leases that nobody released, keeps a list of deaths for each
// item, and decides when to park. [Parked] lists what is parked, for people and operators, and
// retries it.
//
// Its invariants:
//
//   - A graceful stop is no death: it releases its leases. Nor is a lost lease of a process that
//     lives: that process takes the death back.
//   - An item is parked on evidence against it alone. Others in hand at one of its deaths, and deaths
//     at which it was not in hand, each ask for another death.
//   - A death explains one parked item. Others that were in hand at it need deaths of their own, so a deadly set is
//     parked one by one.
//   - A job, of which nobody knows what else was in hand, needs more deaths than the items beside it.
//   - A step that a run committed between two deaths takes the earlier ones off the list: an item that
//     gets further is a victim.
//   - Parking loses nothing: the item keeps its body, and its reply stays open for the next try.
//
// It must not know how an item is answered, nor how a notice looks on a platform.
package parking
