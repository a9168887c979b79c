/**
 * Handles messages: the dispatcher, the invocation of the handler, deliveries, and their
 * settlement.
 */
@NullMarked
package io.redelay.queue.handle;

import org.jspecify.annotations.NullMarked;
