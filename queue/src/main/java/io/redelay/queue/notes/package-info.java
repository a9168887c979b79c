/**
 * What handlers keep of a message while they work on it: one buffer a delivery, and one
 * writer a loop.
 */
@NullMarked
package io.redelay.queue.notes;

import org.jspecify.annotations.NullMarked;
