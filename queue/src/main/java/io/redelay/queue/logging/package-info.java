/**
 * The MDC entries of messages, and the log of payloads with their secrets masked.
 */
@NullMarked
package io.redelay.queue.logging;

import org.jspecify.annotations.NullMarked;
