/// Whole endpoints of active messages in virtual time: the shipped bundles, channels and sessions,
/// over a provider that is simulated.
@org.jspecify.annotations.NullMarked
package dev.tigris.verify.endpoints;
