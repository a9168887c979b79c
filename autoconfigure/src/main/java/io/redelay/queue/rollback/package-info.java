/**
 * Tells of a Redis that went back in time.
 */
@NullMarked
package io.redelay.queue.rollback;

import org.jspecify.annotations.NullMarked;
