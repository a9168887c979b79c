/**
 * Locks of Redisson.
 */
@NullMarked
package io.redelay.lock.redisson;

import org.jspecify.annotations.NullMarked;
