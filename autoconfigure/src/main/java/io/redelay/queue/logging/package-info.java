/**
 * What logs get of messages: entries of the MDC, and payloads without their secrets.
 */
@NullMarked
package io.redelay.queue.logging;

import org.jspecify.annotations.NullMarked;
