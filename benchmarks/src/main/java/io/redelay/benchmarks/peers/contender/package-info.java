/**
 * The queues that are compared, each driven as its users drive it.
 */
@NullMarked
package io.redelay.benchmarks.peers.contender;

import org.jspecify.annotations.NullMarked;
