/**
 * The state that a message is being handled, which the queue and the lock share.
 */
@NullMarked
package io.redelay.delivery;

import org.jspecify.annotations.NullMarked;
