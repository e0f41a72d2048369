/// The part of the `tigris` script that is not needed at each start: it builds the checkout, trains
/// the AOT cache, and runs tests and fuzzers.
///
/// The script runs [Main] from its source, since there may be no build yet. So these classes
/// use the JDK only, and nothing of the other modules.
package dev.tigris.launcher;
