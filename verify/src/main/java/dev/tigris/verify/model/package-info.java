/// Models of protocols, run in one thread and in virtual time: what they share is the time
/// ([dev.tigris.verify.model.VirtualTime]), a network that loses, repeats, reorders, delays,
/// damages
/// and cuts ([dev.tigris.verify.model.VirtualNetwork]), and named places of faults
/// ([dev.tigris.verify.model.FaultSites]). All that happens follows from a seed.
///
/// [dev.tigris.verify.model.SessionModel] is that of active messages.
@NullMarked
package dev.tigris.verify.model;

import org.jspecify.annotations.NullMarked;
