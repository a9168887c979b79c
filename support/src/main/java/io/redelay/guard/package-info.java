/**
 * Checks at start-up whether the Redis server is set up as queues and locks need it.
 */
@NullMarked
package io.redelay.guard;

import org.jspecify.annotations.NullMarked;
