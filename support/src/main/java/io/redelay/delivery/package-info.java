/**
 * That a message is being handled: what the queue and the lock both stand on.
 */
@NullMarked
package io.redelay.delivery;

import org.jspecify.annotations.NullMarked;
