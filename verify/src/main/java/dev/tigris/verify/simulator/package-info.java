/// Seeded simulators of flows, which run what ships.
///
/// - [Simulation] runs the policies of reservoirs, with thousands of nodes.
/// - [EngineSimulation] applies the engine's operations in any order.
/// - [ProcessesSimulation] does so in several processes, with their streams, exchanges and virtual
///   interfaces.
@NullMarked
package dev.tigris.verify.simulator;

import org.jspecify.annotations.NullMarked;
