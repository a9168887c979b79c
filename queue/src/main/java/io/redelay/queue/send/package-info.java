/**
 * Sends messages: prepares and checks them, and sends them alone, together, or after the
 * commit of a transaction.
 */
@NullMarked
package io.redelay.queue.send;

import org.jspecify.annotations.NullMarked;
