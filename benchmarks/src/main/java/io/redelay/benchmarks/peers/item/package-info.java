/**
 * The pieces of work that all contenders do.
 */
@NullMarked
package io.redelay.benchmarks.peers.item;

import org.jspecify.annotations.NullMarked;
