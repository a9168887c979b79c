/**
 * Handlers of messages that are suspend functions of Kotlin, or take a flow.
 */
@NullMarked
package io.redelay.queue.coroutine;

import org.jspecify.annotations.NullMarked;
