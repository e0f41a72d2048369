/// Groups: one program in several processes, whose members send messages to one another and work
/// together by barriers, broadcasts, reductions and exchanges.
///
/// A [GroupProgram] runs once in each member. [Group] is its view of the others. The papers' Pack
/// (Chang, *Safe and Explicit Memory Management*, section 3.3) is such a group: a complete graph of
/// connections, and barriers.
@NullMarked
package dev.tigris.cluster.group;

import org.jspecify.annotations.NullMarked;
