/**
 * Measures threads that send a message and wait for the answer.
 */
@NullMarked
package io.redelay.benchmarks.senders;

import org.jspecify.annotations.NullMarked;
